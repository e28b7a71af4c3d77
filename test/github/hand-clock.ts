import type { Clock } from '#/ports/clock.ts'

/** A clock that only moves when a test moves it. */
export type HandClock = Clock & {
  readonly advance: (ms: number) => void
  /** As if somebody had set the clock: nobody sleeps shorter or longer for it. */
  readonly set: (byMs: number) => void
}

export const NOON_MS = Date.UTC(2026, 10, 15, 12)

export function createHandClock(startMs = NOON_MS): HandClock {
  let now = startMs
  let sleepers: readonly { readonly at: number; readonly wake: () => void }[] = []
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 0 || signal?.aborted === true) return resolve()
        signal?.addEventListener('abort', () => resolve(), { once: true })
        sleepers = [...sleepers, { at: now + ms, wake: resolve }]
        return undefined
      }),
    set: (byMs) => {
      now += byMs
      sleepers = sleepers.map(({ at, wake }) => ({ at: at + byMs, wake }))
    },
    advance: (ms) => {
      now += ms
      const due = sleepers.filter((sleeper) => sleeper.at <= now)
      sleepers = sleepers.filter((sleeper) => sleeper.at > now)
      for (const sleeper of due) sleeper.wake()
    },
  }
}
