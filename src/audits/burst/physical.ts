import type { Finding } from '#/core/audit/finding.ts'
import type { Lane } from '#/core/fleet/lane.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { LaneRoom, Template } from './lane-room.ts'
import { SLOTS, laneRoom, buildTemplates } from './lane-room.ts'
import type { BurstView } from './view.ts'
import { describeRoom } from './describe-room.ts'
import { count } from './format.ts'

/**
 * A maximum that the nodes cannot hold if only the number of runners changes. Static: it applies whether work waits or
 * not. Cordoned and not ready nodes count, because they still exist. With a node autoscaler there is no finding.
 */
export function beyondPhysical(burst: BurstView, lane: Lane): readonly Finding[] {
  const { fleet } = burst
  const canCount = fleet.saw('kubernetes/nodes') && fleet.saw('kubernetes/pods') && fleet.nodes.length > 0
  if (!canCount || burst.autoscaler !== null || lane.sets.length === 0) return []
  const templates = buildTemplates(fleet, lane.sets)
  const together: TemplateRoom = { templates, room: laneRoom(burst.runnerRooms, templates, 'at all') }
  const alone = templates.map((template): SetRoom => {
    const own = [template]
    const room = templates.length === 1 ? together.room : laneRoom(burst.runnerRooms, own, 'at all')
    return { set: template.set, templates: own, room }
  })
  const beyond = alone.filter(({ set, room }) => (set.maxRunners ?? 0) > room.more)
  const isBeyond = (lane.declaredMax ?? 0) > together.room.more
  const tight = isBeyond ? together : beyond[0]
  // Room that one set cannot use is no room for a set on other nodes.
  const physical = Math.min(
    together.room.more,
    addUp(alone.map(({ set, room }) => Math.min(set.maxRunners ?? Infinity, room.more))),
  )
  return tight === undefined ? [] : [physicalFinding(lane, tight, { physical, beyond })]
}

type TemplateRoom = { readonly templates: readonly Template[]; readonly room: LaneRoom }
type SetRoom = TemplateRoom & { readonly set: ScaleSet }

function physicalFinding(
  lane: Lane,
  { room, templates }: TemplateRoom,
  { physical, beyond }: { readonly physical: number; readonly beyond: readonly SetRoom[] },
): Finding {
  const { resource, words: reasons } = describeRoom(room, templates)
  const isBoundBySlots = room.nodes.length > 0 && (room.byResource.get(SLOTS) ?? 0) <= room.moreIgnoringSlots
  const boundBy = isBoundBySlots ? 'pod slots' : (resource ?? 'placement')
  return {
    class: 'declared-max-exceeds-physical',
    severity: 'warning',
    subject: { kind: 'Lane', name: lane.label },
    evidence: [
      `the declared maximum is ${lane.declaredMax ?? 'without a bound'}; next to all other pods ${physical} fit, bound by ${boundBy}`,
      ...beyond.map(
        ({ set, room: own }) =>
          `${set.namespace}/${set.name} alone: maxRunners ${set.maxRunners}, ${own.more} fit on ${count(own.nodes.length, 'node')}`,
      ),
      ...(isBoundBySlots ? [] : reasons),
    ],
    hint: `signalbox audit capacity; lower maxRunners of ${lane.sets.map(({ name }) => name).join(', ')} in source to what fits, or add nodes: the rest would only be pending pods`,
    fields: { declaredMax: lane.declaredMax, physical, boundBy },
  }
}

function addUp(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}
