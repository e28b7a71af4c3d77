import type { Question } from './audit.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import { hasLabel } from '#/core/fleet/lane.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

/** The sets that a question is about, without terminating ones; all sets if it names none. */
export function askedSets(fleet: Fleet, { labels, scaleSets }: Question): readonly ScaleSet[] {
  const inLanes = new Set(
    fleet.lanes
      .filter(({ label }) => labels.some((asked) => asked.toLowerCase() === label.toLowerCase()))
      .flatMap(({ sets }) => sets),
  )
  return fleet.sets.filter(
    (set) =>
      set.deletedAt === null &&
      (scaleSets.length === 0 || namesSet(scaleSets, set)) &&
      (labels.length === 0 || inLanes.has(set) || labels.some((label) => hasLabel(set, label))),
  )
}
