/** What the loops remember between two rounds. A new leader begins without it, which only makes it wait. */
export type RecoveryMemory = {
  /** When GitHub may be asked about a candidate again. */
  readonly asked: Map<string, { readonly times: number; readonly nextAt: number }>
  /** Slots that were missing in the last complete reads. */
  readonly missed: Map<string, { readonly reads: number; readonly since: number }>
  /** Since when the list of pods is empty. */
  empty: { readonly since: number } | null
  /** Since when GitHub lists a runner as offline and not busy. */
  readonly idle: Map<string, number>
}

export function createMemory(): RecoveryMemory {
  return { asked: new Map(), missed: new Map(), empty: null, idle: new Map() }
}

/** For a dry run, which must leave no trace. */
export function copyMemory({ asked, missed, empty, idle }: RecoveryMemory): RecoveryMemory {
  return { asked: new Map(asked), missed: new Map(missed), empty, idle: new Map(idle) }
}

export type Pause = { readonly firstMs: number; readonly mostMs: number }

/** Whether it is time to ask about it, and if so, when the next time is: after twice as long each time. */
export function mayAsk({ asked }: RecoveryMemory, key: string, { firstMs, mostMs }: Pause, now: number): boolean {
  const known = asked.get(key)
  if (known !== undefined && now < known.nextAt) return false
  const times = known?.times ?? 0
  asked.set(key, { times: times + 1, nextAt: now + Math.min(mostMs, firstMs * 2 ** Math.min(times, 30)) })
  return true
}

/** What is no candidate any more begins anew when it is one again. */
export function forgetOthers({ asked }: RecoveryMemory, prefix: string, keep: ReadonlySet<string>): void {
  for (const key of asked.keys()) if (key.startsWith(prefix) && !keep.has(key)) asked.delete(key)
}
