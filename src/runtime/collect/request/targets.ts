import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { findRunner } from '#/core/kubernetes/runner-container.ts'
import { resolveSubject } from '#/core/evidence/subject.ts'
import type { Subject, Trace } from '#/core/evidence/subject.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'
import { readPod } from '#/core/kubernetes/pod-facts.ts'

/** Whom the question names: a pod or a runner, and the job that led to it. */
export type Wanted = { readonly name: string; readonly job: WorkflowJobFacts | null }

/** A runner whose evidence is collected. */
export type Target = {
  readonly subject: Subject
  /** Null for a pod that is gone and that nobody kept. */
  readonly pod: PodFacts | null
  /** It stands in the API server, so that its logs can be asked for. */
  readonly isLive: boolean
  readonly containers: readonly ContainerPlan[]
}

export type ContainerPlan = {
  readonly name: string
  readonly role: 'init' | 'main' | 'ephemeral'
  readonly image: string | null
  readonly wasRestarted: boolean
}

/** A runner is called like its pod, or like its pod with a suffix. */
export function isNamedAfter(runner: string, pod: string | null): boolean {
  return pod !== null && pod !== '' && (runner === pod || runner.startsWith(`${pod}-`))
}

export type FoundPods = {
  readonly pods: readonly object[]
  readonly traces: readonly Trace[]
  /** Looked for there only; null for everywhere. */
  readonly namespaces: ReadonlySet<string> | null
  /** Of the pod that is meant, where somebody kept it. */
  readonly uid: string | null
}

export function findTargets(wanted: readonly Wanted[], found: FoundPods): readonly Target[] {
  const { namespaces, uid } = found
  const isInside = (namespace: string): boolean => namespaces === null || namespaces.has(namespace)
  const objects = found.pods.map((object) => ({ object, facts: readPod(object) }))
  const inside = objects.filter(({ facts }) => isInside(facts.namespace)).toSorted(byUidThenAge(uid))
  const pods = inside.map(({ facts }) => facts)
  const traces = found.traces.filter(({ namespace }) => isInside(namespace))
  const targets = wanted.flatMap(({ name, job }): readonly Target[] => {
    const jobs = job === null ? [] : [job]
    const subject = resolveSubject({ namespace: null, name, jobId: job?.id ?? null, uid }, { pods, jobs, traces })
    if (subject === null || subject.pod === null) return []
    const found = inside.find(({ facts }) => isSubjectPod(facts, subject))
    return [toTarget(subject, found)]
  })
  return [...new Map(targets.map((target) => [subjectKey(target.subject), target])).values()]
}

/** Of two pods of one name the one that is meant comes first, and else the younger. */
function byUidThenAge(uid: string | null) {
  const rank = ({ facts }: { readonly facts: PodFacts }): number =>
    uid !== null && facts.uid === uid ? Infinity : (facts.createdAt ?? 0)
  return (a: { readonly facts: PodFacts }, b: { readonly facts: PodFacts }): number => (rank(a) < rank(b) ? 1 : -1)
}

function isSubjectPod({ namespace, name, uid }: PodFacts, subject: Subject): boolean {
  return namespace === subject.namespace && name === subject.pod && uid === subject.uid
}

function subjectKey({ namespace, pod, uid }: Subject): string {
  return `${namespace}/${pod}/${uid}`
}

function toTarget(subject: Subject, found?: { readonly object: object; readonly facts: PodFacts }): Target {
  if (found === undefined) return { subject, pod: null, isLive: false, containers: [] }
  const { object, facts } = found
  return { subject, pod: facts, isLive: facts.lastSeenAt === null, containers: planContainers(object) }
}

/** In the order in which they ran: init containers first. */
export function planContainers(pod: object): readonly ContainerPlan[] {
  const statuses = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'].flatMap((field) =>
    listAt(pod, 'status', field),
  )
  return SPECIFIED.flatMap(([field, role]) =>
    listAt(pod, 'spec', field).flatMap((container) => {
      const name = textAt(container, 'name')
      const status = statuses.find((candidate) => textAt(candidate, 'name') === name)
      const wasRestarted = (numberAt(status, 'restartCount') ?? 0) > 0
      return name === null ? [] : [{ name, role, image: textAt(container, 'image'), wasRestarted }]
    }),
  )
}

const SPECIFIED = [
  ['initContainers', 'init'],
  ['containers', 'main'],
  ['ephemeralContainers', 'ephemeral'],
] as const

/** Null where it is not known: then no container is treated as the runner's. */
export function plannedRunner(containers: readonly ContainerPlan[]): string | null {
  const choice = findRunner(containers)
  return choice.kind === 'found' ? choice.container.name : null
}

export function tracesOfEvents(events: readonly EventFacts[]): readonly Trace[] {
  const about = events.filter(({ kind, namespace, name }) => kind === 'Pod' && namespace !== null && name !== null)
  return about
    .toSorted((a, b) => (a.lastAt ?? 0) - (b.lastAt ?? 0))
    .map(({ namespace, name, uid, host, message, firstAt }) => ({
      namespace: namespace ?? '',
      name: name ?? '',
      uid,
      node: host ?? /^Successfully assigned \S+ to (\S+)$/.exec(message)?.[1] ?? null,
      at: firstAt,
    }))
}

/** ARC calls a runner's pod like its record of the runner, and keeps the record longer. */
export function tracesOfRunners(runners: readonly object[]): readonly Trace[] {
  return runners.flatMap((runner) => {
    const [namespace, name] = [textAt(runner, 'metadata', 'namespace'), textAt(runner, 'metadata', 'name')]
    return namespace === null || name === null ? [] : [{ namespace, name, uid: null, node: null, at: null }]
  })
}
