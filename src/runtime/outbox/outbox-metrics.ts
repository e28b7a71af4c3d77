import type { PendingState } from '#/ports/pending-writings.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'

export type OutboxReading = Pick<PendingState, 'waiting' | 'bytes' | 'oldestAt' | 'fault'> & {
  readonly freeBytes: number
  readonly held: number
  readonly now: number
}

/** How full the spool is, and how long deaths have been waiting in it. */
export function outboxMetrics(metrics: Metrics): (reading: OutboxReading) => void {
  const waiting = metrics.gauge(
    'signalbox_spool_deaths_waiting',
    'Writes of deaths on disk that wait for the database.',
  )
  const oldest = metrics.gauge('signalbox_spool_oldest_seconds', 'Age of the oldest death in the spool; 0 without one.')
  const bytes = metrics.gauge('signalbox_spool_bytes', 'Bytes of the spool.')
  const free = metrics.gauge('signalbox_spool_free_bytes', 'Bytes that the disk and the limit leave for the spool.')
  const full = metrics.gauge('signalbox_spool_full', 'Whether the disk could not take the last death.')
  const report = (reading: OutboxReading): void => {
    const { oldestAt, now } = reading
    waiting.set(reading.waiting)
    oldest.set(oldestAt === null ? 0 : Math.max(0, (now - oldestAt) / 1000))
    bytes.set(reading.bytes)
    free.set(reading.freeBytes)
    full.set(reading.fault === null && reading.held === 0 ? 0 : 1)
  }
  report({ waiting: 0, bytes: 0, oldestAt: null, fault: null, freeBytes: 0, held: 0, now: 0 })
  return report
}
