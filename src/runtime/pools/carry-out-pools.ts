import { countFailure } from '#/core/pools/reconcile/start-history.ts'
import { finalizersOf } from '#/core/pools/reconcile/pool-pod.ts'
import type { PodNow, PoolAction } from '#/core/pools/reconcile/world.ts'
import { EVIDENCE_FINALIZER } from '#/core/pools/own-pod.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { Kubernetes, WriteOutcome } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Log } from '#/ports/log.ts'
import type { ActWarrant } from '#/runtime/act/means.ts'
import { stripFinalizer } from '#/runtime/act/strip-finalizer.ts'
import type { StripMeans } from '#/runtime/act/strip-finalizer.ts'
import type { PoolMemory } from './memory.ts'
import { DRAIN_FINALIZER } from './pool-book.ts'
import type { DeclaredPool } from './pool-book.ts'
import { clearPod, retirePod } from './remove-pod.ts'
import type { Removed, RemoveMeans } from './remove-pod.ts'

export type CarryOutMeans = Omit<RemoveMeans, 'signal' | 'kubernetes'> & {
  readonly kubernetes: Pick<Kubernetes, 'get' | 'create' | 'patch'>
  readonly finalizers: StripMeans['finalizers']
  readonly build: (pool: RunnerPool, name: string) => Fields
  /** The end of a pod's name: no name is used twice. */
  readonly drawName: () => string
  readonly log: Log
}

export type Known = {
  readonly pools: ReadonlyMap<string, DeclaredPool>
  readonly pods: ReadonlyMap<string, PodNow>
  readonly objects: ReadonlyMap<string, KubeObject>
}

type Order = {
  readonly known: Known
  readonly memory: PoolMemory
  readonly warrant: ActWarrant
  readonly signal: AbortSignal
}

/** `fenced`: another one leads, so nothing more may be done. */
export async function carryOutAction(
  means: CarryOutMeans,
  action: PoolAction,
  order: Order,
): Promise<'fenced' | 'done' | 'not-done'> {
  switch (action.kind) {
    case 'create':
      return await createPods(means, action, order)
    case 'hold':
    case 'release':
      return await finalizePool(means, action, order)
    case 'retire':
    case 'clear':
      return await removePod(means, action, order)
    case 'let-go':
      return await letGo(means, action, order)
  }
}

type Of<K extends PoolAction['kind']> = Extract<PoolAction, { kind: K }>

/** A name of a pod is also a host name, of 63 characters at most. */
const LONGEST_STEM = 50

async function createPods(
  { kubernetes, build, drawName, clock, log }: CarryOutMeans,
  { scope, count }: Of<'create'>,
  { known, memory, signal }: Order,
): Promise<'done' | 'not-done'> {
  const reading = known.pools.get(scope)?.reading
  if (reading?.kind !== 'valid') return 'not-done'
  const { pool } = reading
  for (let made = 0; made < count && !signal.aborted; made += 1) {
    const name = `${pool.name.slice(0, LONGEST_STEM)}-${drawName()}`
    const pod = `${pool.namespace}/${name}`
    memory.reserve(pod, scope, clock.now())
    const object = build(pool, name)
    const outcome = await kubernetes.create({ resource: RESOURCES.pods, namespace: pool.namespace, object }, signal)
    if (outcome.kind === 'done') continue
    // One that may have been made is waited for.
    if (outcome.kind !== 'blind' || outcome.applied === 'no') memory.unreserve(pod)
    const why = describeOutcome(outcome)
    log.warn('a pod of a pool was not made', { pool: scope, pod: name, why })
    const history = memory.history(scope)
    memory.remember(scope, { ...history, starts: countFailure(history.starts, `the API server: ${why}`, clock.now()) })
    return 'not-done'
  }
  return 'done'
}

async function finalizePool(
  { kubernetes, log }: CarryOutMeans,
  { kind, scope }: Of<'hold' | 'release'>,
  { known, signal }: Order,
): Promise<'done' | 'not-done'> {
  const object = known.pools.get(scope)?.object
  if (object === undefined || object === null) return 'not-done'
  const { namespace = '', name, uid, resourceVersion } = object.metadata
  const others = finalizersOf(object).filter((one) => one !== DRAIN_FINALIZER)
  const finalizers = kind === 'hold' ? [...others, DRAIN_FINALIZER] : others
  const patch = { kind: 'merge', changes: { metadata: { finalizers } } } as const
  const preconditions = { uid, resourceVersion }
  const outcome = await kubernetes.patch(
    { resource: RESOURCES.runnerPools, namespace, name, preconditions, patch },
    signal,
  )
  if (outcome.kind === 'done' || outcome.kind === 'gone') return 'done'
  log.warn(`the finalizer of a pool was not ${kind === 'hold' ? 'set' : 'removed'}`, {
    pool: scope,
    why: describeOutcome(outcome),
  })
  return 'not-done'
}

async function removePod(
  means: CarryOutMeans,
  action: Of<'retire' | 'clear'>,
  { known, memory, warrant, signal }: Order,
): Promise<'fenced' | 'done' | 'not-done'> {
  const pod = known.pods.get(action.uid)
  const object = known.objects.get(action.uid)
  if (pod === undefined || object === undefined) return 'not-done'
  const removing = { ...means, signal }
  if (action.kind === 'clear')
    return reportRemoval(means, action, { pod, removed: await clearPod(removing, { pod, object }, warrant) })
  const removed = await retirePod(removing, { pod, object, reason: action.reason }, warrant)
  const done = reportRemoval(means, action, { pod, removed })
  if (removed.kind === 'stays' || removed.kind === 'fenced') return done
  if (!memory.retired.has(pod.uid) && action.reason === 'never-started') {
    const history = memory.history(action.scope)
    memory.remember(action.scope, { ...history, starts: countFailure(history.starts, action.why, means.clock.now()) })
  }
  memory.retired.add(pod.uid)
  return done
}

function reportRemoval(
  { log }: CarryOutMeans,
  action: Of<'retire' | 'clear'>,
  { pod, removed }: { readonly pod: PodNow; readonly removed: Removed },
): 'fenced' | 'done' | 'not-done' {
  const fields = { pool: pod.scope, pod: pod.name }
  switch (removed.kind) {
    case 'fenced':
      return 'fenced'
    case 'stays':
      log.info('an idle pod stays', { ...fields, why: removed.why })
      return 'not-done'
    case 'taken':
      return 'not-done'
    case 'ended': {
      const { outcome, why } = removed.row
      const isDone = outcome === 'done' || outcome === 'vanished'
      if (isDone && action.kind === 'retire')
        log.info('a pod was retired', { ...fields, reason: action.reason, why: action.why })
      if (!isDone) log.warn('a pod was not removed', { ...fields, outcome, why: why ?? '' })
      return isDone ? 'done' : 'not-done'
    }
  }
}

async function letGo(
  means: CarryOutMeans,
  { uid, scope }: Of<'let-go'>,
  { known, warrant, signal }: Order,
): Promise<'fenced' | 'done' | 'not-done'> {
  const object = known.objects.get(uid)
  const pod = known.pods.get(uid)
  if (object === undefined || pod === undefined) return 'not-done'
  const { namespace = '', name, resourceVersion } = object.metadata
  const result = await stripFinalizer(
    {
      pod: { kind: 'Pod', namespace, name, uid, resourceVersion },
      origin: { loop: 'pools/let-go' },
      scope,
      finalizers: finalizersOf(object),
      finalizer: EVIDENCE_FINALIZER,
      evidence: pod.isRecorded ? uid : null,
    },
    { ledger: means.ledger, clock: means.clock, finalizers: means.finalizers, signal },
    warrant,
  )
  if (result.kind === 'fenced') return 'fenced'
  return result.kind === 'ended' && (result.outcome === 'done' || result.outcome === 'vanished') ? 'done' : 'not-done'
}

function describeOutcome(outcome: Exclude<WriteOutcome, { kind: 'done' }>): string {
  if (outcome.kind === 'blind') return describeReason(outcome.reason)
  return 'message' in outcome ? outcome.message : 'it is gone'
}
