import type { Clock } from '#/ports/clock.ts'

export type CountedWait = {
  readonly clock: Pick<Clock, 'sleep'>
  readonly everyMs: number
  readonly mostMs: number
  readonly signal: AbortSignal
}

/**
 * Waits while the condition holds, but at most so long. The time is counted in sleeps, because a clock that is set back would
 * prolong a wait that it measures by hours.
 */
export async function waitWhile(
  isAwaited: () => boolean,
  { clock, everyMs, mostMs, signal }: CountedWait,
): Promise<void> {
  for (let leftMs = mostMs; leftMs > 0 && isAwaited() && !signal.aborted; leftMs -= everyMs) {
    await clock.sleep(Math.min(everyMs, leftMs), signal)
  }
}

/** True until so much time has passed from now, however the clock is set meanwhile. */
export function trueFor(ms: number, clock: Pick<Clock, 'sleep'>, signal: AbortSignal): () => boolean {
  let isOver = ms <= 0
  const end = (): void => {
    isOver = true
  }
  if (!isOver) void clock.sleep(ms, signal).then(end)
  return () => !isOver
}

/** What is left of a time that began at `since`, by a clock that may have been set meanwhile: never more than all of it. */
export function countLeft(ms: number, since: number, clock: Pick<Clock, 'now'>): number {
  return Math.min(ms, Math.max(0, since + ms - clock.now()))
}
