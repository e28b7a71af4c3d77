import type { Metrics } from '#/runtime/metrics/metrics.ts'

/** Whether this replica leads, for the metrics and for readiness. */
export type LeadStatus = {
  readonly set: (standing: Standing) => void
  /** Since when it records while the store is unreachable; null where it does not. */
  readonly withoutStoreSince: () => number | null
}

export type Standing =
  | { readonly kind: 'leading' | 'waiting' }
  | { readonly kind: 'without-store'; readonly since: number }

export function createLeadStatus(metrics: Metrics): LeadStatus {
  const leading = metrics.gauge('signalbox_leader', 'Whether this replica performs the loops.')
  const without = metrics.gauge(
    'signalbox_recording_without_store_since_timestamp_seconds',
    'Since when deaths are recorded while the database is unreachable; 0 where they are not.',
  )
  let since: number | null = null
  const set: LeadStatus['set'] = (standing) => {
    since = standing.kind === 'without-store' ? standing.since : null
    leading.set(standing.kind === 'leading' ? 1 : 0)
    without.set(since === null ? 0 : since / 1000)
  }
  set({ kind: 'waiting' })
  return { set, withoutStoreSince: () => since }
}
