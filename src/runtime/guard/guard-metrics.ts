import type { WriteOutcome } from '#/ports/kubernetes.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'

export type GuardMetrics = {
  readonly held: (pods: { readonly stamped: number; readonly unknown: number }) => void
  readonly changed: (change: 'set' | 'clear', outcome: WriteOutcome['kind']) => void
}

/** Somebody changed or removed the object meanwhile: the next look decides. */
const OVERTAKEN: ReadonlySet<WriteOutcome['kind']> = new Set(['conflict', 'gone'])

export function guardMetrics(metrics: Metrics): GuardMetrics {
  const stamped = metrics.gauge('signalbox_guard_stamped_pods', 'Runner pods that carry the stamp of a working runner.')
  const unknown = metrics.gauge(
    'signalbox_guard_unknown_pods',
    'Running runner pods of which no source says whether they work.',
  )
  const changes = metrics.counter('signalbox_guard_changes_total', 'Stamps that were set or taken off, by outcome.')
  for (const change of ['set', 'clear'])
    for (const outcome of ['done', 'overtaken', 'failed']) changes.add(0, { change, outcome })
  return {
    held: (pods) => {
      stamped.set(pods.stamped)
      unknown.set(pods.unknown)
    },
    changed: (change, kind) => {
      const outcome = kind === 'done' ? 'done' : OVERTAKEN.has(kind) ? 'overtaken' : 'failed'
      changes.add(1, { change, outcome })
    },
  }
}
