/** Which pods were asked what keeps them from their start, when, and what was told of them. */
export type PendingPods = {
  /** True where nothing is told of it yet and it was not asked about for a while. */
  readonly mayAsk: (uid: string, now: number) => boolean
  readonly told: (uid: string, cause: string) => void
  /** What was told of it, once: its end is next. */
  readonly take: (uid: string) => string | null
  readonly has: (uid: string) => boolean
}

const ASK_AGAIN_MS = 30_000

export function createPendingPods(): PendingPods {
  const asked = new Map<string, number>()
  const causes = new Map<string, string>()
  return {
    mayAsk: (uid, now) => {
      const last = asked.get(uid)
      if (causes.has(uid) || (last !== undefined && now - last < ASK_AGAIN_MS)) return false
      asked.set(uid, now)
      return true
    },
    told: (uid, cause) => void causes.set(uid, cause),
    take: (uid) => {
      const cause = causes.get(uid) ?? null
      causes.delete(uid)
      asked.delete(uid)
      return cause
    },
    has: (uid) => asked.has(uid),
  }
}
