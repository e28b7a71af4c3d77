export type Backoff = {
  readonly firstMs: number
  /** By which the wait grows with each failure; 2 unless given. */
  readonly factor?: number
  readonly mostMs: number
}

/** Beyond it a double no longer counts in whole steps, and every limit is reached. */
const MOST_STEPS = 50

/**
 * How long to wait after this many failures before the one that just happened. `chance`, from 0 to 1, spreads the wait
 * over its upper half, so that those who fail together do not come back together; without it the wait is the whole one.
 */
export function backoffMs({ firstMs, factor = 2, mostMs }: Backoff, failuresBefore: number, chance = 1): number {
  const wholeMs = Math.min(mostMs, firstMs * factor ** Math.min(failuresBefore, MOST_STEPS))
  return wholeMs * (0.5 + chance / 2)
}
