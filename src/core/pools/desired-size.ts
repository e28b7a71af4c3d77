import type { PoolSize } from './runner-pool.ts'

/** What a pool has to do now. */
export type PoolDemand = {
  /** Jobs that could have a slot now; those that a cap or a back-off withholds are not among them. */
  readonly dispatchable: number
  /** Slots that execute a job, or were given one. */
  readonly busy: number
  /** Dispatchable jobs that came per second lately. */
  readonly arrivalsPerSecond: number
  /** How long a pod takes until it can take a job, at the 95th percentile; null before the first. */
  readonly startP95Ms: number | null
}

/**
 * How many pods a pool should have. Besides a pod for each job, it keeps as many idle as jobs are likely to come while a
 * new one starts, and never fewer than the warm floor. That reserve fades with the arrivals, so an idle pool goes down to
 * its floor, which may be 0.
 */
export function desiredSize({ warm, max }: Pick<PoolSize, 'warm' | 'max'>, demand: PoolDemand): number {
  const { dispatchable, busy, arrivalsPerSecond, startP95Ms } = demand
  const whileStarting = Math.floor((arrivalsPerSecond * (startP95Ms ?? 0)) / 1000)
  // A burst that is queued already has its own pods; the reserve is for what comes after it.
  const reserve = Math.max(warm, whileStarting)
  return Math.min(max, busy + dispatchable + reserve)
}
