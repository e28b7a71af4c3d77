import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'

/** Whose story is asked for. What is not known is null; the UID tells a pod from its successor of the same name. */
export type Subject = {
  readonly namespace: string | null
  readonly pod: string | null
  readonly uid: string | null
  readonly node: string | null
  readonly runner: string | null
  readonly jobId: number | null
  readonly runId: number | null
  /** The question names the job, not only a pod or runner: then the job decides which of several namesakes is meant. */
  readonly isJobAsked: boolean
  /** Of every container of the pod, init containers too, and of those before a restart. */
  readonly containerIds: readonly string[]
}

/** What a person, or `meta.json`, names. */
export type Asked = {
  readonly namespace: string | null
  /** A pod, a runner, or a job by its number: people paste what they have. */
  readonly name: string | null
  readonly jobId: number | null
  readonly uid: string | null
}

/** Something that names a pod: an event, a line of the audit log, a log, a runner's record. */
export type Trace = {
  readonly namespace: string
  readonly name: string
  readonly uid: string | null
  readonly node: string | null
  readonly at: number | null
}

export type Known = {
  readonly pods: readonly PodFacts[]
  readonly jobs: readonly WorkflowJobFacts[]
  readonly traces: readonly Trace[]
}

/** Clocks of GitHub and of the cluster differ by seconds: a pod made within them is not yet a successor. */
const CLOCKS_DIFFER_MS = 15_000

/** Null when nothing that is known fits what was asked. */
export function resolveSubject(asked: Asked, known: Known): Subject | null {
  const { named, wanted } = wantedBy(asked, known)
  const pod = wanted === null ? null : findPod(wanted, asked.namespace, known.pods)
  // A job that is asked for and cannot be read must not make another one the subject.
  const job = asked.jobId === null ? (named ?? jobOf(pod, wanted, known.jobs)) : named
  const place = findPlace(pod, { wanted, asked, known, job: named })
  if (place === null && job === null) return null
  return {
    ...(place ?? { ...NOWHERE, namespace: asked.namespace }),
    ...executionOf(job, { wanted, jobId: asked.jobId }),
    isJobAsked: named !== null || asked.jobId !== null,
  }
}

/** The job that the question names, and the name of a pod or runner to look for. */
function wantedBy(asked: Asked, { jobs }: Known): { named: WorkflowJobFacts | null; wanted: string | null } {
  const pasted = asked.name === null ? null : jobIdIn(asked.name)
  const named = jobs.find(({ id }) => id !== null && id === (asked.jobId ?? pasted)) ?? null
  return { named, wanted: (pasted === null ? asked.name : null) ?? named?.runner ?? null }
}

type Search = {
  readonly wanted: string | null
  readonly asked: Asked
  readonly known: Known
  readonly job: WorkflowJobFacts | null
}

function findPlace(pod: PodFacts | null, search: Search): Place | null {
  if (pod === null) return placeOfTraces(null, search)
  return isSuccessor(pod, search.asked, search.job) ? placeOfTraces(pod.uid, search) : placeOf(pod)
}

const NOWHERE = { namespace: null, pod: null, uid: null, node: null, containerIds: [] }

type Place = Pick<Subject, 'namespace' | 'pod' | 'uid' | 'node' | 'containerIds'>

function placeOf({ namespace, name, uid, node, containers }: PodFacts): Place {
  return { namespace, pod: name, uid, node, containerIds: containers.flatMap(({ id }) => (id === null ? [] : [id])) }
}

/** A pod that was made after the job had begun cannot have run it: who asks for that job means the one before. */
function isSuccessor(pod: PodFacts, asked: Asked, job: WorkflowJobFacts | null): boolean {
  if (asked.uid !== null && pod.uid !== null) return asked.uid !== pod.uid
  return job !== null && !couldRun(pod, job)
}

function couldRun({ createdAt }: PodFacts, { startedAt }: WorkflowJobFacts): boolean {
  return startedAt === null || createdAt === null || createdAt <= startedAt + CLOCKS_DIFFER_MS
}

/** A pod that is gone is known by what others said of it. */
function placeOfTraces(notUid: string | null, { wanted, asked, known, job }: Search): Place | null {
  if (wanted === null) return null
  const inside = known.traces.filter((trace) => fits(wanted, asked.namespace, trace))
  const longest = inside.toSorted((a, b) => b.name.length - a.name.length)[0]
  if (longest === undefined) return null
  const own = inside.filter(({ name, uid }) => name === longest.name && (uid === null || uid !== notUid))
  const uid = asked.uid ?? uidOf(own, job)
  const node = own.find((trace) => trace.node !== null && (trace.uid === null || trace.uid === uid))?.node ?? null
  return { namespace: longest.namespace, pod: longest.name, uid, node, containerIds: [] }
}

/** Of several pods that had the name, the one that lived when the job began; without a job the last one. */
function uidOf(traces: readonly Trace[], job: WorkflowJobFacts | null): string | null {
  const began = job?.startedAt ?? null
  const dated = traces.filter(({ uid }) => uid !== null).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
  const before = began === null ? [] : dated.filter(({ at }) => at !== null && at <= began + CLOCKS_DIFFER_MS)
  return (before.at(-1) ?? dated.at(-1))?.uid ?? null
}

function executionOf(
  job: WorkflowJobFacts | null,
  { wanted, jobId }: { readonly wanted: string | null; readonly jobId: number | null },
) {
  if (job === null) return { runner: wanted, jobId, runId: null }
  return { runner: job.runner ?? wanted, jobId: job.id, runId: job.runId }
}

/** The number of a job, or an address that holds it. */
function jobIdIn(name: string): number | null {
  const digits = /\/job\/(\d+)/.exec(name)?.[1] ?? /^(\d+)$/.exec(name)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** A runner is called like its pod, or like its pod with a suffix; the longest pod name that fits is meant. */
function findPod(name: string, namespace: string | null, pods: readonly PodFacts[]): PodFacts | null {
  const fitting = pods.filter((pod) => fits(name, namespace, pod))
  return fitting.toSorted((a, b) => b.name.length - a.name.length)[0] ?? null
}

function fits(
  wanted: string,
  namespace: string | null,
  pod: { readonly namespace: string; readonly name: string },
): boolean {
  const [before, after = ''] = wanted.includes('/') ? wanted.split('/', 2) : [namespace, wanted]
  if (before !== null && before !== undefined && pod.namespace !== before) return false
  return after === pod.name || (pod.name !== '' && after.startsWith(`${pod.name}-`))
}

/** The last job that this runner was given, and not one of a pod that had the name before. */
function jobOf(
  pod: PodFacts | null,
  runner: string | null,
  jobs: readonly WorkflowJobFacts[],
): WorkflowJobFacts | null {
  const bare = runner?.split('/').at(-1) ?? null
  const own = jobs.filter((job) => {
    if (job.runner === null || (pod !== null && !couldRun(pod, job))) return false
    return job.runner === bare || (pod !== null && (job.runner === pod.name || job.runner.startsWith(`${pod.name}-`)))
  })
  return own.toSorted((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0))[0] ?? null
}
