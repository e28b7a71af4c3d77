import { backoffMs } from '#/core/basics/backoff.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Tuning } from './tuning.ts'

export type Backoff = {
  /** Waits longer after each failure in a row, at least as long as the server asked for. */
  readonly wait: (atLeastMs: number, signal: AbortSignal) => Promise<void>
  readonly reset: () => void
  readonly failures: () => number
}

/** `random` gives numbers from 0 to 1, so that clients that fail together do not come back together. */
export function makeBackoff(clock: Clock, random: () => number, tuning: Tuning): Backoff {
  let failures = 0
  return {
    wait: async (atLeastMs, signal) => {
      const waitMs = backoffMs({ firstMs: tuning.backoffFirstMs, mostMs: tuning.backoffMostMs }, failures, random())
      failures += 1
      await clock.sleep(Math.max(atLeastMs, waitMs), signal)
    },
    reset: () => {
      failures = 0
    },
    failures: () => failures,
  }
}
