import type { PoolPlan } from '#/core/pools/reconcile/world.ts'
import type { Gauge, Labels, Metrics } from '#/runtime/metrics/metrics.ts'

export type PoolMetrics = { readonly show: (plans: readonly PoolPlan[], now: number) => void }

/** By pool (NAMESPACE/NAME). The series of a pool that is gone go with it. */
export function poolMetrics(metrics: Metrics): PoolMetrics {
  const replicas = metrics.gauge('signalbox_pool_replicas', 'Pods of a pool, by state.')
  const desired = metrics.gauge('signalbox_pool_desired', 'How many pods a pool should have.')
  const degraded = metrics.gauge(
    'signalbox_pool_degraded',
    'Whether pods of a pool fail to start, one after the other.',
  )
  const jobs = metrics.gauge('signalbox_queue_jobs', 'Jobs that wait; a cap or a back-off withholds some.')
  const oldest = metrics.gauge(
    'signalbox_queue_oldest_seconds',
    'How long the oldest waiting job has waited; 0 without one.',
  )
  let shown: readonly (readonly [Gauge, Labels])[] = []
  return {
    show: (plans, now) => {
      const series = plans.flatMap(
        ({ scope: pool, counts, queue, ...plan }): readonly (readonly [Gauge, Labels, number])[] => {
          const ageOf = (at: number | null): number => (at === null ? 0 : Math.max(0, now - at) / 1000)
          return [
            ...Object.entries(counts).map(([state, count]) => [replicas, { pool, state }, count] as const),
            [desired, { pool }, plan.desired],
            [degraded, { pool }, plan.degraded === null ? 0 : 1],
            [jobs, { pool, state: 'dispatchable' }, queue.dispatchable],
            [jobs, { pool, state: 'withheld' }, queue.withheld],
            [oldest, { pool, state: 'dispatchable' }, ageOf(queue.oldestDispatchable)],
            [oldest, { pool, state: 'withheld' }, ageOf(queue.oldestWithheld)],
          ]
        },
      )
      for (const [gauge, labels] of shown) gauge.forget(labels)
      for (const [gauge, labels, value] of series) gauge.set(value, labels)
      shown = series.map(([gauge, labels]) => [gauge, labels])
    },
  }
}
