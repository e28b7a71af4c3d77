/**
 * A token bucket, counted in time: a message costs `everyMs` of credit and credit grows with the clock. Burst and refill
 * are chosen so that no hour (or whatever the period is) sees more than the limit, wherever one begins to count.
 */
export type Rate = { readonly burst: number; readonly everyMs: number; readonly periodMs: number }
export type Bucket = { readonly creditMs: number; readonly at: number }

export function createRate(limit: number, periodMs: number): Rate {
  const burst = Math.ceil(limit / 2)
  return { burst, everyMs: Math.ceil(periodMs / (limit - burst + 1)), periodMs }
}

/** After a restart: what was sent within the last period is taken off. */
export function bucketAfter(rate: Rate, sentLately: number, now: number): Bucket {
  return { creditMs: Math.max(0, rate.burst - sentLately) * rate.everyMs, at: now }
}

/** Null where there is no credit for a message. */
export function spend(rate: Rate, bucket: Bucket, now: number): Bucket | null {
  const { creditMs } = refilled(rate, bucket, now)
  return creditMs < rate.everyMs ? null : { creditMs: creditMs - rate.everyMs, at: now }
}

/** When there is credit for the next message. */
export function affordableAt(rate: Rate, bucket: Bucket, now: number): number {
  return now + Math.max(0, rate.everyMs - refilled(rate, bucket, now).creditMs)
}

/** A clock that is set back gives nothing and takes nothing. */
function refilled({ burst, everyMs }: Rate, { creditMs, at }: Bucket, now: number): Bucket {
  return { creditMs: Math.min(burst * everyMs, creditMs + Math.max(0, now - at)), at: now }
}
