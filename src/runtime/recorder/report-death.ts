import type { Death } from '#/core/recorder/death.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log, LogFields } from '#/ports/log.ts'
import type { RecorderMetrics } from './recorder-metrics.ts'
import type { EndedPod } from './ended-pod.ts'

export type Reporting = {
  readonly metrics: RecorderMetrics
  readonly publish: (death: Death) => void
  readonly clock: Clock
  readonly log: Log
}

/** To the metrics, the log and the channels. */
export function reportDeath(
  { metrics, publish, log, clock }: Reporting,
  { missed, foundAt }: Pick<EndedPod, 'missed' | 'foundAt'>,
  death: Death,
): void {
  metrics.died(death, missed ? 0 : (clock.now() - foundAt) / 1000)
  log.info(LINES.get(death.kind) ?? 'a runner died', deathLine(death))
  publish(death)
}

const LINES: ReadonlyMap<string, string> = new Map([
  ['not-a-death', 'a runner ended'],
  ['never-started', 'a runner never started'],
])

/** One log line per death, for people who search their log store. The keys are stable. */
function deathLine(death: Death): LogFields {
  const { namespace, pod, uid, node, pool, exitCode, signal, reason, message, cause, kind, confidence } = death
  const own = { uid, node, pool, exitCode, signal, reason, message, cause, kind, confidence }
  const job = death.job?.url ?? death.job?.id ?? death.job?.name ?? null
  return { pod: `${namespace}/${pod}`, ...own, job, actor: death.actor, missed: death.missed, sentence: death.sentence }
}
