import { blind, mapSeen, none, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { listAt, textAt, timeAt } from '#/core/basics/fields.ts'
import type { CandidateSnapshot, Identity } from '#/core/interlock/candidate-snapshot.ts'
import { readAt } from '#/core/interlock/reading.ts'
import { readPod } from '#/core/kubernetes/pod-facts.ts'
import { readPoolPod } from '#/core/pools/reconcile/pool-pod.ts'
import type { ActCandidate, ObserveCandidate, ProposedRunner, RunnerNow } from '#/ports/act-candidate.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { OwnPods } from '#/ports/pools.ts'
import type { Assignments } from '#/ports/store/assignments.ts'

export type ObserveMeans = {
  readonly kubernetes: Pick<Kubernetes, 'get'>
  readonly assignments: Pick<Assignments, 'slot'>
  readonly ownPods: Pick<OwnPods, 'all'>
  readonly clock: Pick<Clock, 'now'>
}

/** Reads an own pod and its slot, now: from the API server and from the store, not from a watch. */
export function observeOwnPod(means: ObserveMeans): ObserveCandidate {
  return async (candidate, signal) => ({
    runners: await Promise.all(candidate.runners.map((runner) => observe(means, { candidate, runner, signal }))),
    // Its slot was ended for this: the pod serves nobody any more, whatever the pool needs now.
    premise: { kind: 'stands' },
    scales: [],
  })
}

type Looking = { readonly candidate: ActCandidate; readonly runner: ProposedRunner; readonly signal: AbortSignal }

async function observe(means: ObserveMeans, { candidate, runner, signal }: Looking): Promise<RunnerNow> {
  const { kubernetes, ownPods, clock } = means
  const { namespace, name, identity } = runner
  const rows = mapSeen(ownPods.all(), (pods) => pods.length)
  const object = await kubernetes.get({ resource: RESOURCES.pods, namespace, name }, signal)
  const outgrown = object.kind === 'seen' ? await findOutgrown(means, candidate, object.value) : undefined
  const now = clock.now()
  const unread = readAt<never>(now, blind('not-asked', 'it is not needed for an own pod'))
  const snapshot: CandidateSnapshot = {
    subject: { kind: 'Pod', namespace, name },
    now,
    // The slot is the proof that nobody has it: how young it is does not matter.
    terms: { github: 'not-busy', minAgeMs: 0, freshMs: 60_000 },
    proposed: identity,
    object: readAt(
      now,
      mapSeen(object, (pod) => ({
        ...identityOf(pod),
        isDeleting: pod.metadata.deletionTimestamp !== undefined,
        ...(outgrown === undefined ? {} : { outgrown }),
      })),
    ),
    record: unread,
    // An idle pod has no registration, and one that has ended is ephemeral: GitHub has removed it.
    github: readAt(now, none()),
    githubJob: unread,
    deregistration: readAt(now, none()),
    pod: readAt(now, mapSeen(object, toSigns)),
    processes: unread,
    log: unread,
    vitals: unread,
    createdAt: readAt(now, toCreation(object)),
    listener: unread,
    lists: [{ source: 'kubernetes/pods', rows, at: now, notEmpty: null }],
    room: unread,
    evidence: unread,
  }
  return { snapshot, target: object.kind === 'seen' ? toTarget(object.value) : null, registration: null }
}

export function identityOf(pod: KubeObject): Identity {
  const [owner] = listAt(pod, 'metadata', 'ownerReferences')
  return {
    uid: pod.metadata.uid,
    generation: pod.metadata.generation ?? null,
    owner: owner === undefined ? null : `${textAt(owner, 'kind') ?? ''} ${textAt(owner, 'name') ?? ''}`,
  }
}

/** Why it is not what was proposed, although it is the same object. */
async function findOutgrown(
  { assignments }: ObserveMeans,
  { gates }: ActCandidate,
  object: KubeObject,
): Promise<string | undefined> {
  const pod = readPoolPod(object)
  if (pod === null) return 'it is no pod of a pool'
  if (gates === 'delete-ended-pod') return pod.life === 'ended' ? undefined : `it has not ended (${pod.life})`
  const slot = await assignments.slot(pod.uid)
  if (slot === null) return 'it has no slot in the store'
  if (slot.state !== 'ended' && slot.state !== 'lost') return `its slot is ${slot.state}, so it may get a job`
  return slot.runner === null ? undefined : `its slot had the runner ${slot.runner.name}`
}

function toSigns(object: KubeObject) {
  const { phase, node, containers } = readPod(object)
  return { phase, node, containers, jobPods: [] }
}

function toCreation(object: Observed<KubeObject>): Observed<number> {
  if (object.kind !== 'seen') return object
  const at = timeAt(object.value, 'metadata', 'creationTimestamp')
  return at === null ? none() : seen(at)
}

function toTarget({ metadata: { namespace = '', name, uid, resourceVersion } }: KubeObject): RunnerNow['target'] {
  return { kind: 'Pod', namespace, name, uid, resourceVersion }
}
