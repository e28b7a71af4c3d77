import type { Death } from '#/core/recorder/death.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { RecorderMetrics } from './recorder-metrics.ts'
import { deathLine } from './death-line.ts'
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
