import { poolOf } from '#/core/recorder/pool-of.ts'
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
import type { Store } from '#/ports/store.ts'
import { createAnswers } from '#/runtime/collect/answers.ts'
import { listFile } from '#/runtime/collect/list-file.ts'
import type { Draft } from './draft.ts'
import { recordRefused } from './post-mortem.ts'
import type { PostMortemMeans } from './post-mortem.ts'
import { createWorkQueue } from '#/runtime/work-queue.ts'

/** Records runners whose pods were refused. There is no pod to watch: the owner's event or ARC's record tells of it. */
export type Refusals = {
  readonly hearEvent: (event: KubeObject) => void
  readonly hearRunner: (runner: KubeObject) => void
  readonly finish: () => Promise<void>
}

type Means = {
  readonly means: Pick<PostMortemMeans, 'redact' | 'judge' | 'rules' | 'outbox' | 'ports'>
  readonly kubernetes: Kubernetes
  readonly store: Pick<Store, 'postmortems'>
  readonly clock: Clock
  readonly log: Log
  readonly settings: { readonly labelSelector: string; readonly settleMs: number }
  readonly tell: (death: Death, foundAt: number) => void
}

/** What makes pods of a template. Another kind of owner is not known to make runners. */
const OWNERS: ReadonlyMap<string, Resource> = new Map([
  ['Job', RESOURCES.jobs],
  ['ReplicaSet', RESOURCES.replicaSets],
  ['StatefulSet', RESOURCES.statefulSets],
])

const MOST_KNOWN = 10_000
const MOST_WAITING = 1000
const AT_ONCE = 2

export function createRefusals(given: Means, signal: AbortSignal): Refusals {
  const { clock, log } = given
  const known = new Set<string>()
  const queue = createWorkQueue({ mostAtOnce: AT_ONCE, mostWaiting: MOST_WAITING }, (error) =>
    log.error('a refused pod could not be recorded', { why: error instanceof Error ? error.message : String(error) }),
  )
  const take = (refusal: Refusal, told: KubeObject): void => {
    if (known.has(refusal.owner.uid)) return
    const found = { refusal, told, foundAt: clock.now() }
    if (queue.push(() => record(given, found, signal)) === 'full') return
    known.add(refusal.owner.uid)
    const [oldest] = known
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
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

type Found = { readonly refusal: Refusal; readonly told: KubeObject; readonly foundAt: number }

async function record(given: Means, found: Found, signal: AbortSignal): Promise<void> {
  const { refusal, foundAt } = found
  if (await isKnown(given, refusal.owner.uid)) return
  const owner = await ownerOf(given, found, signal)
  if (owner === null) return
  const draft = await draftOf(given, found, signal)
  const pod = { ...refusal, uid: refusal.owner.uid, pool: poolOf(owner, sha256), at: refusal.at ?? foundAt }
  given.tell(await recordRefused(given.means, { pod, draft }, signal), foundAt)
}

/** A store that is away does not say so: then it is recorded, and changes nothing where it was known. */
async function isKnown({ store, log }: Means, uid: string): Promise<boolean> {
  try {
    return (await store.postmortems.get(uid)) !== null
  } catch (error) {
    log.warn('whether a death is known cannot be read', { uid, why: String(error) })
    return false
  }
}

/** As the pod would have been; null where the owner makes no runners, or cannot be asked. */
async function ownerOf(
  { kubernetes, settings, log }: Means,
  { refusal: { owner, namespace }, told }: Found,
  signal: AbortSignal,
): Promise<object | null> {
  const resource = OWNERS.get(owner.kind)
  if (resource === undefined) return told
  const read = await kubernetes.get({ resource, namespace, name: owner.name }, signal)
  if (read.kind === 'blind') {
    const why = `${read.reason.code}: ${read.reason.detail}`
    log.warn('whose pod was refused cannot be read', { owner: `${owner.kind} ${namespace}/${owner.name}`, why })
    return null
  }
  const isOwner = read.kind === 'seen' && makesRunners(read.value, settings.labelSelector)
  return isOwner ? unmadePod(read.value) : null
}

async function draftOf({ kubernetes }: Means, { refusal, told, foundAt }: Found, signal: AbortSignal): Promise<Draft> {
  const { namespace, pod, owner } = refusal
  const answers = createAnswers()
  const files: Draft['files'] = new Map()
  const add = (list: string, items: readonly KubeObject[], remark: string): void => {
    const { file } = listFile(list, items)
    files.set(file.path, file)
    answers.looked(`kubernetes/${list}`, { remark })
  }
  add('pods', [], 'there never was a pod: the API server refused it')
  if (told.kind === 'Event') add('events', [told], `only what ${owner.kind} ${owner.name} was told`)
  else add('ephemeralrunners', [told], 'only the record of this runner')
  const quotas = await kubernetes.list({ resource: RESOURCES.resourceQuotas, namespace }, signal)
  if (quotas.kind === 'blind') answers.blind('kubernetes/resourcequotas', quotas.reason)
  else add('resourcequotas', quotas.kind === 'seen' ? quotas.value.items : [], `of namespace ${namespace}`)
  const subject = { namespace, pod }
  return { files, answers, meta: () => ({ collectedAt: foundAt, subject, sources: answers.sources() }) }
}
