import type { DeclaredLane, DeclaredVolume, FleetFile, LaneClass } from '#/core/fleet-file/fleet-file.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import type { FleetJob } from '#/core/fleet/github-facts.ts'
import { parseScope, servesRepository } from '#/core/fleet/github-facts.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

/** What a workflow reaches with one label. Several sets, owners and pools may share it. */
export type Lane = {
  readonly label: string
  readonly class: LaneClass | null
  readonly sets: readonly ScaleSet[]
  /** As declared in the fleet file, else what the sets allow together; null means unlimited. */
  readonly declaredMax: number | null
  readonly isDeclared: boolean
  readonly envelope: Readonly<Record<string, number>> | null
  readonly requiredVolumes: readonly DeclaredVolume[]
}

/** Without a fleet file every label of a set is a lane. */
export function listLanes(sets: readonly ScaleSet[], declared: FleetFile): readonly Lane[] {
  const live = sets.filter(({ deletedAt }) => deletedAt === null)
  const lanes = (declared.lanes ?? []).map((lane) => declaredLane(lane, live))
  const known = new Set(lanes.map(({ label }) => label.toLowerCase()))
  const labels = new Map(live.flatMap(({ runsOn }) => runsOn.map((label) => [label.toLowerCase(), label] as const)))
  for (const [key, label] of labels) if (!known.has(key)) lanes.push(foundLane(label, live))
  return lanes
}

function declaredLane(lane: DeclaredLane, sets: readonly ScaleSet[]): Lane {
  const own = sets.filter((set) =>
    lane.scaleSets === undefined ? hasLabel(set, lane.label) : namesSet(lane.scaleSets, set),
  )
  return {
    label: lane.label,
    class: lane.class ?? null,
    sets: own,
    declaredMax: lane.declaredMax ?? sumMax(own),
    isDeclared: true,
    envelope: lane.envelope ?? null,
    requiredVolumes: lane.requiredVolumes ?? [],
  }
}

function foundLane(label: string, sets: readonly ScaleSet[]): Lane {
  const own = sets.filter((set) => hasLabel(set, label))
  return {
    label,
    class: null,
    sets: own,
    declaredMax: sumMax(own),
    isDeclared: false,
    envelope: null,
    requiredVolumes: [],
  }
}

export function sumMax(sets: readonly ScaleSet[]): number | null {
  return sets.reduce<number | null>(
    (sum, { maxRunners }) => (sum === null || maxRunners === null ? null : sum + maxRunners),
    0,
  )
}

export function hasLabel({ runsOn }: ScaleSet, label: string): boolean {
  return runsOn.some((own) => own.toLowerCase() === label.toLowerCase())
}

/** A set takes a job if it has all of the job's labels and may serve its repository. */
export function servesJob(set: ScaleSet, job: FleetJob): boolean {
  return (
    job.labels.length > 0 &&
    job.labels.every((label) => hasLabel(set, label)) &&
    servesRepository(parseScope(set.configUrl), job.repository)
  )
}

export function isLaneJob(lane: Lane, job: FleetJob): boolean {
  return (
    job.labels.some((label) => label.toLowerCase() === lane.label.toLowerCase()) &&
    lane.sets.some((set) => servesJob(set, job))
  )
}
