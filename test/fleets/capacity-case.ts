import { capacity } from '#/audits/capacity/audit.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { seen } from '#/core/basics/observed.ts'
import type { Lists } from './build-fleet.ts'
import { buildFleet } from './build-fleet.ts'
import { buildNode, buildSet } from './build-scale-set.ts'
import type { SetChanges } from './build-scale-set.ts'

export function judge(lists: Lists, declared?: FleetFile, question = {}) {
  const fleet = buildFleet(lists, declared === undefined ? {} : { fleetFile: seen(declared) })
  return capacity.examine(fleet, { ...WHOLE_FLEET, ...question })
}

/** Runners with one core each, on two nodes with four, except for what is given. */
export const max = (maxRunners: number | undefined, changes: SetChanges = {}): SetChanges => ({
  ...changes,
  spec: { ...changes.spec, maxRunners },
})

/** Class, how many fit, and what bounds it. */
export function answer(changes: SetChanges, lists: Lists = {}, declared?: FleetFile) {
  return judge(
    { autoscalingrunnersets: [buildSet('linux', changes)], nodes: [buildNode('a'), buildNode('b')], ...lists },
    declared,
  ).map(({ class: name, fields }) => [name, fields?.['fits'], fields?.['boundBy']])
}
