import { poolName } from '#/core/recorder/pool-name.ts'
import { sha256 } from '#/runtime/sha256.ts'
import { makesRunners, refusalIn, refusalOfRunner, unmadePod } from '#/core/recorder/refused-pod.ts'
import type { Refusal } from '#/core/recorder/refused-pod.ts'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Resource } from '#/ports/kubernetes-resources.ts'
import type { Log } from '#/ports/log.ts'
import type { Store } from '#/ports/store/store.ts'
import { createAnswers } from '#/runtime/collect/request/answers.ts'
import { listFile } from '#/runtime/collect/lists/list-file.ts'
import type { Draft } from './draft.ts'
import { collect } from './collect-evidence.ts'
import { reportedJob } from './death-document.ts'
import { judgeCollected, write } from './save-death.ts'
import type { RecordingMeans } from './save-death.ts'
import { createWorkQueue } from '#/runtime/queue/work-queue.ts'
import type { DeathStates } from './death-states.ts'

/** Records runners whose pods the API server refused. There is no pod to watch: the owner's event or ARC's record shows it. */
export type Refusals = {
  readonly hearEvent: (event: KubeObject) => void
  readonly hearRunner: (runner: KubeObject) => void
  readonly finish: () => Promise<void>
}

type Means = {
  readonly means: Pick<RecordingMeans, 'redact' | 'judge' | 'rules' | 'outbox' | 'ports'>
  readonly kubernetes: Kubernetes
  readonly store: Pick<Store, 'deaths'>
  readonly clock: Clock
  readonly log: Log
  readonly settings: { readonly labelSelector: string; readonly settleMs: number }
  readonly states: DeathStates
  readonly report: (death: Death, foundAt: number) => void
}

/** Owners that create pods from a template. Other kinds are not known to create runners. */
const OWNERS: ReadonlyMap<string, Resource> = new Map([
  ['Job', RESOURCES.jobs],
  ['ReplicaSet', RESOURCES.replicaSets],
  ['StatefulSet', RESOURCES.statefulSets],
])

const MOST_WAITING = 1000
const AT_ONCE = 2

export function createRefusals(given: Means, signal: AbortSignal): Refusals {
  const { clock, log, states } = given
  const queue = createWorkQueue({ mostAtOnce: AT_ONCE, mostWaiting: MOST_WAITING }, (error) =>
    log.error('cannot record a refused pod', { why: String(error) }),
  )
  const retryLater = async (found: Found, error: unknown): Promise<void> => {
    const { uid, kind, name } = found.refusal.owner
    const phase = states.apply(uid, { kind: 'failed' })
    if (phase?.state !== 'parked') return
    const owner = `${kind} ${found.refusal.namespace}/${name}`
    const why = error instanceof Error ? error.message : String(error)
    log.error('cannot record a refused pod: will retry', { owner, uid, why, retrySeconds: phase.retryMs / 1000 })
    await clock.sleep(phase.retryMs, signal)
    if (signal.aborted) return
    states.apply(uid, { kind: 'retry' })
    enqueue(found)
  }
  const enqueue = (found: Found): void => {
    const work = async (): Promise<void> => {
      try {
        await record(given, found, signal)
      } catch (error) {
        if (!signal.aborted) void retryLater(found, error)
      }
    }
    if (queue.push(work) === 'full') states.apply(found.refusal.owner.uid, { kind: 'postponed' })
  }
  const take = (refusal: Refusal, source: KubeObject): void => {
    if (states.apply(refusal.owner.uid, { kind: 'refused' }) === null) return
    enqueue({ refusal, source, foundAt: clock.now() })
  }
  return {
    hearEvent: (event) => {
      const refusal = refusalIn(readEvent(event))
      if (refusal !== null && OWNERS.has(refusal.owner.kind)) take(refusal, event)
    },
    hearRunner: (runner) => {
      const refusal = refusalOfRunner(runner)
      if (refusal !== null) take(refusal, runner)
    },
    finish: queue.idle,
  }
}

type Found = { readonly refusal: Refusal; readonly source: KubeObject; readonly foundAt: number }

async function record(given: Means, found: Found, signal: AbortSignal): Promise<void> {
  const { refusal, foundAt } = found
  const { uid } = refusal.owner
  const owner = (await isKnown(given, uid)) ? null : await findOwner(given, found, signal)
  if (owner === null) return void given.states.apply(uid, { kind: 'nothing-to-record' })
  const draft = await buildDraft(given, found, signal)
  const pod = { ...refusal, uid, pool: poolName(owner, sha256), at: refusal.at ?? foundAt }
  const death = await recordRefused(given.means, { pod, draft }, signal)
  given.states.apply(uid, { kind: 'judged', cause: death.cause })
  given.report(death, foundAt)
  given.states.apply(uid, { kind: 'notified' })
}

/** With the store unavailable it is recorded anyway, which changes nothing where it is known. */
async function isKnown({ store, means, log }: Means, uid: string): Promise<boolean> {
  try {
    return (await means.outbox.find(uid)).length > 0 || (await store.deaths.get(uid)) !== null
  } catch (error) {
    log.warn('cannot look up a death in the store', { uid, why: String(error) })
    return false
  }
}

/** The pod as its owner would have created it; null where the owner creates no runners, or cannot be read. */
async function findOwner(
  { kubernetes, settings, log }: Means,
  { refusal: { owner, namespace }, source }: Found,
  signal: AbortSignal,
): Promise<object | null> {
  const resource = OWNERS.get(owner.kind)
  if (resource === undefined) return source
  const read = await kubernetes.get({ resource, namespace, name: owner.name }, signal)
  if (read.kind === 'blind') {
    const why = `${read.reason.code}: ${read.reason.detail}`
    log.warn('cannot read the owner of a refused pod', { owner: `${owner.kind} ${namespace}/${owner.name}`, why })
    return null
  }
  const isOwner = read.kind === 'seen' && makesRunners(read.value, settings.labelSelector)
  return isOwner ? unmadePod(read.value) : null
}

async function buildDraft(
  { kubernetes }: Means,
  { refusal, source, foundAt }: Found,
  signal: AbortSignal,
): Promise<Draft> {
  const { namespace, pod, owner } = refusal
  const answers = createAnswers()
  const files: Draft['files'] = new Map()
  const add = (list: string, items: readonly KubeObject[], remark: string): void => {
    const { file } = listFile(list, items)
    files.set(file.path, file)
    answers.looked(`kubernetes/${list}`, { remark })
  }
  add('pods', [], 'there was no pod: the API server refused it')
  if (source.kind === 'Event') add('events', [source], `only the event of ${owner.kind} ${owner.name}`)
  else add('ephemeralrunners', [source], 'only the record of this runner')
  const quotas = await kubernetes.list({ resource: RESOURCES.resourceQuotas, namespace }, signal)
  if (quotas.kind === 'blind') answers.blind('kubernetes/resourcequotas', quotas.reason)
  else add('resourcequotas', quotas.kind === 'seen' ? quotas.value.items : [], `of namespace ${namespace}`)
  const subject = { namespace, pod }
  return {
    files,
    before: null,
    answers,
    absorbed: new Map(),
    meta: () => ({ collectedAt: foundAt, subject, sources: answers.sources() }),
  }
}

type RefusedPod = {
  /** The owner's UID: there was no pod. */
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly pool: string | null
  readonly at: number
}

/** A runner whose pod the API server refused, with the event or record that shows it. */
async function recordRefused(
  means: Pick<RecordingMeans, 'redact' | 'judge' | 'rules' | 'outbox' | 'ports'>,
  { pod, draft }: { readonly pod: RefusedPod; readonly draft: Draft },
  signal: AbortSignal,
): Promise<Death> {
  const { parts, collected } = await collect(means, draft, { subject: {}, revision: 1 })
  const verdict = await judgeCollected(means, collected, { reported: reportedJob(null, null), signal })
  const now = means.ports.clock.now()
  const { uid, namespace, pod: name, pool, at: diedAt } = pod
  const known = { uid, namespace, pod: name, pool, diedAt, recordedAt: now, verdict }
  return write(means, { ...known, ...UNMADE }, parts)
}

const UNMADE = { node: null, scope: null, job: null, repository: null, runner: null, missed: false } as const
