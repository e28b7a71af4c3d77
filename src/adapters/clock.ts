import type { Clock } from '#/ports/clock.ts'

/** setTimeout takes at most 2^31-1 ms; anything longer would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/** The machine's time: the only place that reads it. */
export const systemClock: Clock = { now: () => Date.now(), sleep }

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms <= 0 || signal?.aborted === true) return
  await timer(Math.min(ms, LONGEST_TIMER_MS), signal)
  await sleep(ms - LONGEST_TIMER_MS, signal)
}

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(pending)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const pending = setTimeout(end, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}
