import type { Clock } from '#/ports/clock.ts'

/** A channel looks at the time at least every minute; a larger step is a clock that was set, or a process that stood still. */
const LARGEST_STEP_MS = 120_000

/**
 * The time for waits, ages and rate limits: it starts with the clock and never jumps. A clock that is set back stops it for
 * a moment, and one that is set forward moves it by two minutes at most, so that no notice expires or waits for hours.
 */
export function steadyTime(clock: Pick<Clock, 'now'>): () => number {
  let shown = clock.now()
  let steady = shown
  return () => {
    const now = clock.now()
    // By a millisecond, so that what comes after is later than what was before.
    steady += now < shown ? 1 : Math.min(LARGEST_STEP_MS, now - shown)
    shown = now
    return steady
  }
}
