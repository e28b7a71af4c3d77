import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import type { LaneScene } from './lane-scene.ts'
import type { Ledger } from './ledger.ts'
import type { Limit, Limiter } from './limiter.ts'
import { wantsMore } from './limiter.ts'
import { heldShare } from './slots.ts'
import type { Slots } from './slots.ts'
import { limiterOf } from './unschedulable.ts'
import { count, someOf } from './wording.ts'

/** Nodes have a maximum number of pods, no matter how small. Ended pods hold no slot. */
export const podSlots: Limiter = (scene, ledger) => {
  const { fleet, pods } = scene
  const refused = ledger.unschedulable.filter(({ objections }) => limiterOf(objections) === 'slots')
  const rejected = pods.filter(({ reason, deletedAt }) => reason === 'OutOfpods' && deletedAt === null)
  const isFull = ledger.slots !== null && isPressed(ledger.slots, fleet)
  const isNext = wantsMore(ledger) && ledger.autoscaler === null && isFull
  if (refused.length + rejected.length === 0 && !isNext) return null
  const words = [
    ...(refused[0] === undefined
      ? []
      : [`${count(refused.length, 'runner pod has', 'runner pods have')} no slot: ${refused[0].message}`]),
    ...(rejected.length === 0
      ? []
      : [`${count(rejected.length, 'runner pod was', 'runner pods were')} rejected by the node: OutOfpods`]),
  ]
  return pressure(scene, ledger, words)
}

export function isPressed(slots: Slots, { thresholds }: Pick<Fleet, 'thresholds'>): boolean {
  return slots.allocatable > 0 && heldShare(slots) >= thresholds.podSlots
}

function pressure({ holders }: LaneScene, { slots, room, held }: Ledger, words: readonly string[]): Limit {
  const free = room?.byResource.get('pods') ?? 0
  return {
    class: 'pod-slot-pressure',
    admits: words.length > 0 ? held : held + free,
    evidence: [...words, ...(slots === null ? [] : slotWords(slots, room?.nodes ?? []))],
    hint:
      slots === null
        ? 'kubectl get pods -A --field-selector spec.nodeName=NODE for each node of the lane'
        : slotHint(slots),
    fields: { ...(slots === null ? {} : slotFields(slots)), holders },
  }
}

export function slotWords(slots: Slots, nodes: readonly Pick<NodeRecord, 'name'>[]): readonly string[] {
  const { allocatable, live, stale, finished, consumers, staleNames } = slots
  return [
    `${live + stale} of ${allocatable} pod slots are held on ${count(nodes.length, 'node')} (${someOf(nodes.map(({ name }) => name))}): ${live} live, ${stale} stale; ${finished.length} ended pods hold no slot`,
    `most slots are held by ${someOf(consumers.map(({ namespace, pods }) => `${namespace} (${pods})`))}`,
    ...(stale === 0 ? [] : [`stale: ${someOf(staleNames)}`]),
  ]
}

export function slotHint({ stale, staleNames }: Slots): string {
  const never = 'a higher maxRunners does not add a slot'
  return stale > 0
    ? `check why ${someOf(staleNames, 2)} still exist (signalbox audit runtime, signalbox audit nodes) before you add slots: ${never}`
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
