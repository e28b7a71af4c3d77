import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import type { LaneView } from './view.ts'
import type { LaneNumbers } from './lane-numbers.ts'
import type { Limit, Limiter } from './limiter.ts'
import { wantsMore } from './limiter.ts'
import { heldShare } from './slots.ts'
import type { Slots } from './slots.ts'
import { toLimiter } from './unschedulable.ts'
import { count, listSome } from './format.ts'

/** Nodes have a maximum number of pods, no matter how small. Ended pods hold no slot. */
export const podSlots: Limiter = (view, numbers) => {
  const { fleet, pods } = view
  const refused = numbers.unschedulable.filter(({ objections }) => toLimiter(objections) === 'slots')
  const rejected = pods.filter(({ reason, deletedAt }) => reason === 'OutOfpods' && deletedAt === null)
  const isFull = numbers.slots !== null && isPressed(numbers.slots, fleet)
  const isNext = wantsMore(numbers) && numbers.autoscaler === null && isFull
  if (refused.length + rejected.length === 0 && !isNext) return null
  const lines = [
    ...(refused[0] === undefined
      ? []
      : [`${count(refused.length, 'runner pod has', 'runner pods have')} no slot: ${refused[0].message}`]),
    ...(rejected.length === 0
      ? []
      : [`${count(rejected.length, 'runner pod was', 'runner pods were')} rejected by the node: OutOfpods`]),
  ]
  return pressure(view, numbers, lines)
}

export function isPressed(slots: Slots, { thresholds }: Pick<Fleet, 'thresholds'>): boolean {
  return slots.allocatable > 0 && heldShare(slots) >= thresholds.podSlots
}

function pressure({ holders }: LaneView, { slots, room, held }: LaneNumbers, lines: readonly string[]): Limit {
  const free = room?.byResource.get('pods') ?? 0
  return {
    class: 'pod-slot-pressure',
    admits: lines.length > 0 ? held : held + free,
    evidence: [...lines, ...(slots === null ? [] : describeSlots(slots, room?.nodes ?? []))],
    hint:
      slots === null
        ? 'kubectl get pods -A --field-selector spec.nodeName=NODE for each node of the lane'
        : slotHint(slots),
    fields: { ...(slots === null ? {} : slotFields(slots)), holders },
  }
}

export function describeSlots(slots: Slots, nodes: readonly Pick<NodeRecord, 'name'>[]): readonly string[] {
  const { allocatable, live, stale, finished, consumers, staleNames } = slots
  return [
    `${live + stale} of ${allocatable} pod slots are held on ${count(nodes.length, 'node')} (${listSome(nodes.map(({ name }) => name))}): ${live} live, ${stale} stale; ${finished.length} ended pods hold no slot`,
    `most slots are held by ${listSome(consumers.map(({ namespace, pods }) => `${namespace} (${pods})`))}`,
    ...(stale === 0 ? [] : [`stale: ${listSome(staleNames)}`]),
  ]
}

export function slotHint({ stale, staleNames }: Slots): string {
  const never = 'a higher maxRunners does not add a slot'
  return stale > 0
    ? `check why ${listSome(staleNames, 2)} still exist (signalbox audit runtime, signalbox audit nodes) before you add slots: ${never}`
    : `all slots are held by live pods: move other workloads off these nodes, add nodes, or raise the kubelet's maxPods in source: ${never}`
}

const MOST_LISTED = 200

export function slotFields({
  allocatable,
  live,
  stale,
  finished,
  consumers,
}: Slots): Readonly<Record<string, unknown>> {
  return {
    slots: { allocatable, live, stale },
    finished: finished.slice(0, MOST_LISTED),
    finishedCount: finished.length,
    consumers: consumers.slice(0, 20),
  }
}
