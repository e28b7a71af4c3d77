import { mapSeen } from '#/core/basics/observed.ts'
import { findSource } from '#/core/fleet/find-source.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import type { ListReading } from './candidate-snapshot.ts'

/** The lists from which a runner's gates conclude that something is not there. */
const LISTS = [
  'kubernetes/ephemeralrunners',
  'kubernetes/ephemeralrunnersets',
  'kubernetes/autoscalinglisteners',
  'kubernetes/pods',
  'github/runners',
  'github/queued-jobs',
] as const

export function listReadings({ fleet, readyRunners }: RuntimeView): readonly ListReading[] {
  const { now, snapshot } = fleet
  return LISTS.map((source) => ({
    source,
    rows: mapSeen(findSource(snapshot, source), (rows) => (Array.isArray(rows) ? rows.length : 0)),
    at: Math.min(now, snapshot.coverage?.get(source)?.to ?? now),
    notEmpty: source === 'github/runners' && readyRunners > 0 ? `ready runners: ${readyRunners}` : null,
  }))
}
