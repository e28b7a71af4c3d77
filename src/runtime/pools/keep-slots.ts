import { describeReason } from '#/core/basics/observed.ts'
import { isLive, SLOT_STATES } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import { readPoolPod } from '#/core/pools/reconcile/pool-pod.ts'
import type { PoolPod } from '#/core/pools/reconcile/pool-pod.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Log } from '#/ports/log.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { record } from '#/runtime/dispatch/record.ts'
import { endWarmSlot } from './end-warm-slot.ts'
import type { OwnPodWatch } from './own-pods.ts'

export type SlotMeans = {
  readonly assignments: Assignments
  readonly ownPods: Pick<OwnPodWatch, 'all' | 'lastOf'>
  readonly kubernetes: Pick<Kubernetes, 'get'>
  readonly clock: Clock
  readonly log: Log
}

export const LIVE_STATES = SLOT_STATES.filter((state) => state !== 'ended' && state !== 'lost')
/** More than a fleet has; an answer of this length may lack some. */
export const MOST_SLOTS = 50_000
/** Each is a request: after an outage the rest follows in the next rounds. */
const MOST_LOST = 50

/** Slots that need no further look. */
export type SettledSlots = Set<string>

/**
 * One round, level-triggered: every pod that is there has its slot, every pod that has ended has ended it, and a slot whose
 * pod is gone is lost. Only the API server itself proves that a pod is gone, asked for this one.
 */
export async function keepSlots(means: SlotMeans, settled: SettledSlots, signal: AbortSignal): Promise<void> {
  const { assignments, ownPods, log } = means
  const all = ownPods.all()
  if (all.kind === 'blind') {
    log.debug('slots are not compared with pods', { why: describeReason(all.reason) })
    return
  }
  const pods = (all.kind === 'seen' ? all.value : []).flatMap((object) => readPoolPod(object) ?? [])
  const slots = await assignments.slots({ states: LIVE_STATES, limit: MOST_SLOTS })
  const live = new Map(slots.map((slot) => [slot.uid, slot]))
  const present = new Set(pods.map(({ uid }) => uid))
  for (const uid of settled) if (!present.has(uid)) settled.delete(uid)
  for (const pod of pods) {
    if (signal.aborted) return
    if (!settled.has(pod.uid)) await keepSlot(means, settled, { pod, slot: live.get(pod.uid) ?? null })
  }
  const absent = slots.filter(({ uid }) => !present.has(uid))
  for (const slot of absent.slice(0, MOST_LOST)) {
    if (signal.aborted) return
    await closeSlot(means, slot, signal)
  }
}

type Pair = { readonly pod: PoolPod; readonly slot: Slot | null }

async function keepSlot({ assignments, clock }: SlotMeans, settled: SettledSlots, { pod, slot }: Pair): Promise<void> {
  const at = clock.now()
  const hasEnded = pod.life === 'ended' || pod.life === 'failing'
  if (slot === null) {
    if (hasEnded || pod.isDeleting) return
    const recorded = await record(assignments, { kind: 'slot-appeared', at, facts: toFacts(pod) })
    // It is there already, and not alive: a slot never comes back.
    if (recorded.kind === 'unchanged') await settleEnded(assignments, settled, pod.uid)
    return
  }
  if (hasEnded) {
    const recorded = await record(assignments, { kind: 'slot-ended', at, uid: pod.uid })
    if (recorded.kind === 'changed') settled.add(pod.uid)
  } else if (pod.isDeleting && slot.state === 'warm') await endWarmSlot(assignments, pod.uid, at)
}

/** Dispatch may have recorded it since the slots were read. */
async function settleEnded(assignments: Assignments, settled: SettledSlots, uid: string): Promise<void> {
  const slot = await assignments.slot(uid)
  if (slot !== null && !isLive(slot)) settled.add(uid)
}

export function toFacts({ uid, namespace, name, scope, node, createdAt }: PoolPod) {
  return { uid, namespace, pod: name, scope, node, appearedAt: createdAt }
}

async function closeSlot(means: SlotMeans, { uid, namespace, pod: name }: Slot, signal: AbortSignal): Promise<void> {
  const { assignments, ownPods, kubernetes, clock, log } = means
  const last = ownPods.lastOf(uid)
  if (last !== null && readPoolPod(last)?.life === 'ended') {
    await record(assignments, { kind: 'slot-ended', at: clock.now(), uid })
    return
  }
  const pod = await kubernetes.get({ resource: RESOURCES.pods, namespace, name }, signal)
  if (pod.kind === 'blind' || (pod.kind === 'seen' && pod.value.metadata.uid === uid)) return
  await record(assignments, { kind: 'slot-lost', at: clock.now(), uid })
  log.info('a pod is gone and did not end: its slot is lost', { pod: name, namespace, uid })
}
