import type { LoopId } from '#/core/recovery/recovery.ts'
import type { Metrics } from '#/runtime/metrics/metrics.ts'

export type Outcome =
  | 'returned'
  | 'parked'
  | 'closed'
  | 'started'
  | 'registered'
  | 'slot-lost'
  | 'deregistered'
  /** The decision was about an older claim, or somebody else was faster: nothing was changed. */
  | 'stale'
  /** GitHub refused, for example because the runner is busy. */
  | 'refused'
  | 'blind'
  /** More than one round may do; the rest is for the next. */
  | 'capped'
  | 'failed'

export type RecoveryMetrics = {
  readonly count: (loop: LoopId, outcome: Outcome) => void
  readonly stranded: (loop: LoopId, seconds: number) => void
}

const STRANDED_SECONDS = [1, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400]

export function recoveryMetrics(metrics: Metrics): RecoveryMetrics {
  const recoveries = metrics.counter('signalbox_recoveries_total', 'What the recovery loops did, by loop and outcome.')
  const stranded = metrics.histogram(
    'signalbox_stranded_seconds',
    'How long something had been stuck when a recovery loop got it out, by loop.',
    STRANDED_SECONDS,
  )
  return {
    count: (loop, outcome) => recoveries.add(1, { loop, outcome }),
    stranded: (loop, seconds) => stranded.observe(Math.max(0, seconds), { loop }),
  }
}
