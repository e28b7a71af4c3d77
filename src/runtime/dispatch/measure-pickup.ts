import type { Clock } from '#/ports/clock.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'
import type { HandOutMeans } from './hand-out.ts'

type Means = {
  readonly assignments: Pick<Assignments, 'history'>
  readonly clock: Pick<Clock, 'now'>
  readonly metrics: Metrics
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]

/** From the webhook of the job to the runner that was handed out, without the time that GitHub took to register it. */
export function measurePickup({ assignments, clock, metrics }: Means): HandOutMeans['handedOut'] {
  const pickup = metrics.histogram(
    'signalbox_pickup_seconds',
    'From the webhook of a job until a pod got the runner for it, without the time that GitHub took.',
    SECONDS,
  )
  const measure = async (job: number, scope: string, until: number): Promise<void> => {
    const queued = (await assignments.history(job)).find(({ event }) => event.kind === 'announced')
    if (queued !== undefined) pickup.observe(Math.max(0, until - queued.at) / 1000, { pool: scope })
  }
  return (job, scope, mintMs) => {
    // Nobody waits for it, and a measurement that the database cannot give is left out.
    measure(job, scope, clock.now() - mintMs).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error
    })
  }
}
