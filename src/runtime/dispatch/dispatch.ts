import type { Observed } from '#/core/basics/observed.ts'
import { textAt, timeAt } from '#/core/basics/fields.ts'
import type { Claim } from '#/core/dispatch/claims.ts'
import { chooseFairly } from '#/core/dispatch/fairness.ts'
import type { Choose } from '#/core/dispatch/fairness.ts'
import { judgePod, judgeSlot } from '#/core/pools/pod-standing.ts'
import type { PodRefusal } from '#/core/pools/pod-standing.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import { serves } from '#/core/pools/find-pool.ts'
import { ownPodScope } from '#/core/pools/own-pod.ts'
import { poolScope } from '#/core/pools/pool-scope.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { OwnPods, Pools } from '#/ports/pools.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { refuse } from './answer.ts'
import type { DispatchAnswer, DispatchRefusal } from './answer.ts'
import { breakerKey } from './breaker-gate.ts'
import { handOut } from './hand-out.ts'
import type { HandOutMeans } from './hand-out.ts'
import { record } from './record.ts'
import { returnJob } from './return-job.ts'
import { serveSound } from './serve-sound.ts'
import type { BoundPod, TokenReviews } from './token-reviews.ts'
import { createWaitingRoom } from './waiting-room.ts'
import type { RoomLimits, Waited, WaitingRoom, WaitingRoomMeans } from './waiting-room.ts'

export type DispatchMeans = HandOutMeans & {
  readonly assignments: Assignments
  readonly reviews: TokenReviews
  readonly pools: Pools
  readonly ownPods: OwnPods
  /** What pods of this pool are made from now, as in their annotation. */
  readonly templateOf: (pool: RunnerPool) => string
  readonly log: WaitingRoomMeans['log'] & HandOutMeans['log']
  readonly limits?: Partial<RoomLimits>
}

export type Dispatch = Pick<WaitingRoom, 'wake' | 'run' | 'countWaiting'> & {
  /** What a pod that shows this token gets. */
  readonly ask: (token: string | null, waiting: Waiting) => Promise<DispatchAnswer>
}

type Waiting = { readonly forMs: number; readonly signal: AbortSignal }

/** Of one round, at least; and so many for each slot, because caps may withhold the first ones. */
const JOBS = { least: 100, perSlot: 4 }
const RETRY_MS = 1000

/** Gives jobs to the pods that ask for one. */
export function createDispatch(means: DispatchMeans): Dispatch {
  const { clock, log, limits = {} } = means
  const room = createWaitingRoom({
    clock,
    log,
    limits,
    match: async (scope, slots) => await match(means, scope, slots),
    giveBack: async ({ slot }) => await returnJob(means, slot.uid, 'claim-stale'),
  })
  means.pools.onChange(() => room.wake('*'))
  return {
    wake: room.wake,
    run: room.run,
    countWaiting: room.countWaiting,
    ask: async (token, waiting) => {
      try {
        return await ask(means, room, { ...waiting, token })
      } catch (error) {
        if (error instanceof StoreUnavailable) return storeAway()
        throw error
      }
    },
  }
}

async function ask(
  means: DispatchMeans,
  room: WaitingRoom,
  { token, forMs, signal }: Waiting & { readonly token: string | null },
): Promise<DispatchAnswer> {
  const reviewed = await means.reviews.review(token, forMs)
  if (reviewed.kind === 'busy') return refuse('busy', 'too many tokens are reviewed at once', RETRY_MS)
  if (reviewed.kind === 'blind') return refuse('cluster-unavailable', reviewed.why, RETRY_MS)
  if (reviewed.kind === 'invalid') return refuse('token-invalid', reviewed.why)
  const place = findPlace(means, reviewed.pod)
  if (place.kind === 'refused') return place
  const { pod, scope } = place
  const refusal = () => standing(means, pod.metadata.uid, scope)
  const unfit = refusal()
  if (unfit !== null) return refusePod(unfit)
  const stopped = await findStop(means, pod, scope)
  if (stopped !== null) return stopped
  const slot = await readSlot(means, pod, scope)
  if (slot === null) return storeAway()
  // Somebody moved the pod to another pool: jobs of neither would ever reach it.
  const held = slot.scope === scope ? judgeSlot(slot) : 'drained'
  if (held !== null) return refusePod(held)
  return await answer(means, await room.wait({ scope, slot: slot.uid, forMs, signal, refusal }))
}

async function answer(means: DispatchMeans, waited: Waited): Promise<DispatchAnswer> {
  switch (waited.kind) {
    case 'left':
      return waited
    case 'nothing':
      return { kind: 'no-job' }
    case 'full':
      return refuse('busy', 'too many pods wait at this server', RETRY_MS)
    case 'refused':
      return refusePod(waited.reason)
    case 'store-unavailable':
      return storeAway()
    case 'claimed':
      return await serve(means, waited.claim).finally(waited.done)
  }
}

async function serve(means: DispatchMeans, claim: Claim): Promise<DispatchAnswer> {
  const pool = findPool(means, claim.slot.scope)
  if (pool !== null) return await handOut(means, claim, pool)
  await returnJob(means, claim.slot.uid, 'claim-stale')
  return { kind: 'no-job' }
}

type Place = { readonly kind: 'place'; readonly pod: KubeObject; readonly scope: string }

/** The token says which pod it is; the watch, whether it is ours. */
function findPlace({ ownPods }: DispatchMeans, bound: BoundPod): Place | DispatchRefusal {
  const pod: Observed<KubeObject> = ownPods.byUid(bound.uid)
  if (pod.kind === 'blind') return refuse('cluster-unavailable', 'the pods are not watched now', RETRY_MS)
  if (pod.kind === 'none') return refusePod('pod-gone')
  const { name, namespace } = pod.value.metadata
  const scope = ownPodScope(pod.value)
  if (name !== bound.name || namespace !== bound.namespace || scope === null) {
    return refuse('token-invalid', 'the token is not that of a pod of a pool')
  }
  return { kind: 'place', pod: pod.value, scope }
}

function standing(means: DispatchMeans, uid: string, scope: string): PodRefusal | null {
  const pod = means.ownPods.byUid(uid)
  if (pod.kind === 'none') return 'pod-gone'
  if (pod.kind === 'blind') return null
  const pool = findPool(means, scope)
  return judgePod(pod.value, pool === null ? null : means.templateOf(pool))
}

function findPool({ pools }: DispatchMeans, scope: string): RunnerPool | null {
  const declared = pools.read()
  return (declared.kind === 'seen' && declared.value.find((pool) => poolScope(pool) === scope)) || null
}

async function findStop(means: DispatchMeans, pod: KubeObject, scope: string): Promise<DispatchRefusal | null> {
  const node = textAt(pod, 'spec', 'nodeName')
  const pool = findPool(means, scope)
  const keys = new Set([
    pool === null ? null : breakerKey.credential(pool.github.credential),
    node === null ? null : breakerKey.node(node),
  ])
  const breaker = (await means.breakers.open()).find(({ key, mayTry }) => keys.has(key) && mayTry !== true)
  if (breaker === undefined) return null
  const { key, why, until } = breaker
  return refuse('breaker-open', `${key} keeps failing: ${why}`, until - means.clock.now())
}

/** A pod can ask before the watch has recorded it. */
async function readSlot({ assignments, clock }: DispatchMeans, pod: KubeObject, scope: string): Promise<Slot | null> {
  const { uid, name, namespace = '' } = pod.metadata
  const known = await assignments.slot(uid)
  if (known !== null) return known
  const at = clock.now()
  const appearedAt = timeAt(pod, 'metadata', 'creationTimestamp') ?? at
  const facts = { uid, namespace, pod: name, scope, node: textAt(pod, 'spec', 'nodeName'), appearedAt }
  await record(assignments, { kind: 'slot-appeared', at, facts })
  return await assignments.slot(uid)
}

async function match(means: DispatchMeans, scope: string, slots: readonly string[]): Promise<readonly Claim[]> {
  const pool = findPool(means, scope)
  if (pool === null) return []
  const open = await means.breakers.open()
  const jobLimit = Math.max(JOBS.least, JOBS.perSlot * slots.length)
  const request = { scope, waiting: slots, jobLimit, at: means.clock.now() }
  const choose = serveSound(open, pool.github.credential, chooseFairly(pool.fairness))
  return await means.assignments.match(request, onlyOf(pool, choose))
}

/** A job can be of a time when the pool was declared for another owner or repository: now its credential has no say there. */
function onlyOf(pool: RunnerPool, choose: Choose): Choose {
  return ({ jobs, ...others }) => choose({ ...others, jobs: jobs.filter((job) => serves(pool, job.repository)) })
}

const POD_DETAILS: Readonly<Record<PodRefusal, string>> = {
  'pod-gone': 'this pod is gone, or going',
  drained: 'this pod takes no further job',
  'stale-template': 'this pod is of a former template of its pool',
  committed: 'this pod was given a job already, whose answer it has lost',
}

function refusePod(reason: PodRefusal): DispatchRefusal {
  return refuse(reason, POD_DETAILS[reason])
}

function storeAway(): DispatchRefusal {
  return refuse('store-unavailable', 'the database is unavailable', RETRY_MS)
}
