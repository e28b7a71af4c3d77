import type { Clock } from '#/ports/clock.ts'

/** Ends a wait: something has changed that a loop should look at. */
export type Bell = {
  readonly ring: () => void
  /** Until it rings, the time has passed, or the signal. A ring from before the wait counts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export function createBell(clock: Pick<Clock, 'sleep'>): Bell {
  let rung = new AbortController()
  return {
    ring: () => rung.abort(),
    wait: async (ms, signal) => {
      await clock.sleep(ms, AbortSignal.any([rung.signal, signal]))
      if (rung.signal.aborted) rung = new AbortController()
    },
  }
}
