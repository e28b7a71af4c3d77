import { blind, mapSeen, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Job } from '#/core/dispatch/job.ts'
import { slotRunner } from '#/core/dispatch/slot.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import { at, listAt, textAt } from '#/core/basics/fields.ts'
import { readPoolPod } from '#/core/pools/reconcile/pool-pod.ts'
import type { PoolPod } from '#/core/pools/reconcile/pool-pod.ts'
import { readQueues } from '#/core/pools/reconcile/pool-queues.ts'
import { observeJobs, observePods, paceOf, peakOf } from '#/core/pools/reconcile/start-history.ts'
import type { NodeNow, PodNow, PoolLimits, PoolNow, PoolsWorld } from '#/core/pools/reconcile/world.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { Clock } from '#/ports/clock.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import type { Deaths } from '#/ports/store/deaths.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { hasEvidenceOf } from './has-death.ts'
import { LIVE_STATES, MOST_SLOTS } from './keep-slots.ts'
import type { PoolMemory } from './memory.ts'
import type { OwnPodWatch } from './own-pods.ts'
import type { DeclaredPool, PoolBook } from './pool-book.ts'
import type { WatchedObjects } from './watched-objects.ts'

export type ObservePoolsMeans = {
  readonly book: Pick<PoolBook, 'declared'>
  readonly ownPods: Pick<OwnPodWatch, 'all'>
  readonly nodes: Pick<WatchedObjects, 'all'>
  readonly assignments: Pick<Assignments, 'slots' | 'slot' | 'jobs'>
  readonly deaths: Pick<Deaths, 'list'>
  readonly ledger: Pick<Ledger, 'list'>
  /** What a pod of this pool is made from now. */
  readonly templateOf: (pool: RunnerPool) => string
  readonly limits: PoolLimits
  readonly clock: Pick<Clock, 'now'>
}

/** The oldest of them: a pool that is so far behind has its maximum anyway. */
const MOST_JOBS = 20_000

export type Observation = { readonly world: PoolsWorld; readonly objects: ReadonlyMap<string, KubeObject> }

export async function observePools(means: ObservePoolsMeans, memory: PoolMemory): Promise<Observation> {
  const { book, ownPods, nodes, limits, clock } = means
  const now = clock.now()
  const declared = book.declared()
  const all = ownPods.all()
  const objects = new Map((all.kind === 'seen' ? all.value : []).map((object) => [object.metadata.uid, object]))
  const found = [...objects.values()].flatMap((object) => readPoolPod(object) ?? [])
  const stored =
    all.kind === 'blind' || declared.kind === 'blind' ? NOT_READ : await readStore(means, memory, { found, objects })
  const pools = declared.kind === 'seen' ? declared.value : []
  if (stored.kind === 'seen') remember(memory, { pools, pods: stored.value.pods, jobs: stored.value.jobs, now })
  const rules = new Map(
    pools.flatMap(({ scope, reading }) => (reading.kind === 'valid' ? [[scope, reading.pool.fairness]] : [])),
  )
  const world: PoolsWorld = {
    pools: mapSeen(declared, (list) => list.map((pool) => toPoolNow(means, memory, pool))),
    pods: all.kind === 'blind' ? all : mapSeen(stored, ({ pods }) => pods),
    queues: mapSeen(stored, ({ jobs }) => readQueues(jobs, (scope) => rules.get(scope), now)),
    nodes: mapSeen(nodes.all(), (list) => list.map(toNode)),
    limits,
  }
  return { world, objects }
}

type Stored = { readonly pods: readonly PodNow[]; readonly jobs: readonly Job[] }
type Found = { readonly found: readonly PoolPod[]; readonly objects: ReadonlyMap<string, KubeObject> }

const NOT_READ = blind('not-asked', 'the store is not asked without pools and pods')

async function readStore(
  means: ObservePoolsMeans,
  memory: PoolMemory,
  { found, objects }: Found,
): Promise<Observed<Stored>> {
  const { assignments } = means
  try {
    const slots = await assignments.slots({ states: LIVE_STATES, limit: MOST_SLOTS })
    if (slots.length >= MOST_SLOTS) return blind('truncated', `there are more than ${MOST_SLOTS} slots`)
    const live = new Map(slots.map((slot) => [slot.uid, slot]))
    const pods: PodNow[] = []
    for (const pod of found) {
      const slot = await findSlot(means, pod, live)
      const hadRunner = await hadRunnerOnce(means, memory, pod)
      pods.push({ ...pod, slot, hadRunner, isRecorded: await isRecorded(means, memory, pod, objects.get(pod.uid)) })
    }
    const jobs = await assignments.jobs({ states: ['queued', 'claimed', 'minted', 'executing'], limit: MOST_JOBS })
    return seen({ pods, jobs })
  } catch (error) {
    if (error instanceof StoreUnavailable) return blind('unreachable', `the store: ${error.message}`)
    throw error
  }
}

async function findSlot(
  { assignments }: ObservePoolsMeans,
  { uid, life }: PoolPod,
  live: ReadonlyMap<string, Slot>,
): Promise<PodNow['slot']> {
  const slot = live.get(uid)
  if (slot !== undefined) return slot.state
  if (life === 'ended' || life === 'failing') return 'ended'
  return (await assignments.slot(uid))?.state ?? 'absent'
}

/** Asked once of each that has ended. One without a slot never asked for a job. */
async function hadRunnerOnce(
  { assignments }: ObservePoolsMeans,
  memory: PoolMemory,
  { uid, scope, life }: PoolPod,
): Promise<boolean> {
  if (life !== 'ended' || memory.history(scope).counted.has(uid)) return true
  const slot = await assignments.slot(uid)
  return slot !== null && slotRunner(slot) !== null
}

/** Asked only of those that could go. */
async function isRecorded(
  means: ObservePoolsMeans,
  memory: PoolMemory,
  pod: PoolPod,
  object: KubeObject | undefined,
): Promise<boolean> {
  if (memory.recorded.has(pod.uid)) return true
  const isLeaving = pod.isDeleting ? pod.holdsEvidence : pod.life === 'ended'
  if (!isLeaving || object === undefined || !(await hasEvidenceOf(means, object))) return false
  memory.recorded.add(pod.uid)
  return true
}

type Remembered = Stored & { readonly pools: readonly DeclaredPool[]; readonly now: number }

function remember(memory: PoolMemory, { pools, pods, jobs, now }: Remembered): void {
  const byScope = Map.groupBy(pods, ({ scope }) => scope)
  const jobsOf = Map.groupBy(jobs, ({ scope }) => scope)
  const uids = new Map(pods.map(({ namespace, name, uid }) => [`${namespace}/${name}`, uid]))
  memory.prune(new Set(pools.map(({ scope }) => scope)), uids, now)
  for (const { scope } of pools) {
    const arrived = new Map((jobsOf.get(scope) ?? []).map(({ id, queuedAt }) => [id, queuedAt]))
    const known = observeJobs(memory.history(scope), arrived, now)
    memory.remember(scope, observePods(known, byScope.get(scope) ?? [], { retired: memory.retired, now }))
  }
}

function toPoolNow(
  { templateOf, clock }: ObservePoolsMeans,
  memory: PoolMemory,
  { scope, reading, isDeleting, hasFinalizer, object }: DeclaredPool,
): PoolNow {
  const history = memory.history(scope)
  return {
    scope,
    spec: reading.kind === 'valid' ? reading.pool : null,
    template: reading.kind === 'valid' ? templateOf(reading.pool) : null,
    isDeleting,
    isHeld: hasFinalizer || object === null,
    hasFinalizer,
    reserved: memory.countReserved(scope),
    starts: history.starts,
    pace: paceOf(history),
    peak: reading.kind === 'valid' ? peakOf(history, { keepMs: reading.pool.size.idleTimeoutMs, now: clock.now() }) : 0,
  }
}

function toNode(object: KubeObject): NodeNow {
  const ready = listAt(object, 'status', 'conditions').find((one) => textAt(one, 'type') === 'Ready')
  const isLeaving = at(object, 'spec', 'unschedulable') === true || object.metadata.deletionTimestamp !== undefined
  return { name: object.metadata.name, isReady: textAt(ready, 'status') === 'True', isLeaving }
}
