/** Counts wrong tokens per caller, to slow down guessing. */
export type Failures = {
  /** How long the caller must wait before the next attempt; 0 if it may try now. */
  readonly waitMs: (caller: string, now: number) => number
  readonly add: (caller: string, now: number) => void
}

export const FAILURE_LIMITS = { most: 10, withinMs: 60_000, callers: 1000 }

export function countFailures({ most, withinMs, callers } = FAILURE_LIMITS): Failures {
  const known = new Map<string, number[]>()
  // Times in the future come from a clock that was set back; they must not lock anybody out for hours.
  const recent = (caller: string, now: number): number[] =>
    (known.get(caller) ?? []).filter((at) => Math.abs(now - at) < withinMs)
  return {
    waitMs: (caller, now) => {
      const failed = recent(caller, now)
      const [oldest = now] = failed
      return failed.length < most ? 0 : oldest + withinMs - now
    },
    add: (caller, now) => {
      const failed = [...recent(caller, now), now].slice(-most)
      known.delete(caller)
      known.set(caller, failed)
      const [longestQuiet] = known.keys()
      if (known.size > callers && longestQuiet !== undefined) known.delete(longestQuiet)
    },
  }
}
