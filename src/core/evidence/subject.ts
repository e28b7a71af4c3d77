import type { ContainerState, PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'

/** What a question is about. What is not known is null; the UID distinguishes a pod from a later one of the same name. */
export type Subject = {
  readonly namespace: string | null
  readonly pod: string | null
  readonly uid: string | null
  readonly node: string | null
  readonly runner: string | null
  readonly jobId: number | null
  readonly runId: number | null
  /** The question names the job, not only a pod or runner: the job then decides between pods of the same name. */
  readonly isJobAsked: boolean
  /** Of all containers of the pod, including init containers and those before a restart. */
  readonly containerIds: readonly string[]
}

/** What the user or `meta.json` names. */
export type Asked = {
  readonly namespace: string | null
  /** A pod, a runner, or a job id. */
  readonly name: string | null
  readonly jobId: number | null
  readonly uid: string | null
}

/** Something that names a pod: an event, an audit log line, a log, a runner record. */
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

/** The clocks of GitHub and the cluster differ by seconds: a pod created within that time is not a successor. */
const CLOCKS_DIFFER_MS = 15_000

/** Null if nothing matches the question. */
export function resolveSubject(asked: Asked, known: Known): Subject | null {
  const { named, wanted } = wantedBy(asked, known)
  const pod = wanted === null ? null : findPod(wanted, asked.namespace, known.pods)
  // If the named job cannot be read, no other job may become the subject.
  const job = asked.jobId === null ? (named ?? findJob(pod, wanted, known.jobs)) : named
  const place = findPlace(pod, { wanted, asked, known, job: named })
  if (place === null && job === null) return null
  return {
    ...(place ?? { ...NOWHERE, namespace: asked.namespace }),
    ...findExecution(job, { wanted, jobId: asked.jobId }),
    isJobAsked: named !== null || asked.jobId !== null,
  }
}

/** The job of the question, and the pod or runner name to look for. */
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
  if (pod === null) return locateByTraces(null, search)
  return isSuccessor(pod, search) ? locateByTraces(pod.uid, search) : locateSubject(pod)
}

const NOWHERE = { namespace: null, pod: null, uid: null, node: null, containerIds: [] }

type Place = Pick<Subject, 'namespace' | 'pod' | 'uid' | 'node' | 'containerIds'>

function locateSubject({ namespace, name, uid, node, containers }: PodFacts): Place {
  const ids = containers.flatMap(({ id, state, last }) => [id, endedId(state), endedId(last)])
  return { namespace, pod: name, uid, node, containerIds: [...new Set(ids.filter((id) => id !== null))] }
}

function endedId(state: ContainerState): string | null {
  return state.kind === 'terminated' ? state.id : null
}

/** A pod that was created after the job started cannot have run it: an earlier pod is meant. */
function isSuccessor(pod: PodFacts, { asked, job, known }: Search): boolean {
  if (asked.uid !== null && pod.uid !== null) return asked.uid !== pod.uid
  if (job !== null) return !couldRun(pod, job)
  return asked.jobId !== null && !hasRun(pod) && hasPredecessor(pod, known.traces)
}

function hasRun({ containers }: PodFacts): boolean {
  return containers.some(({ state, last }) =>
    [state, last].some(({ kind }) => kind === 'running' || kind === 'terminated'),
  )
}

function hasPredecessor({ namespace, name, uid, createdAt }: PodFacts, traces: readonly Trace[]): boolean {
  return traces.some((trace) => {
    if (trace.namespace !== namespace || trace.name !== name || trace.uid === uid) return false
    return trace.uid !== null && trace.at !== null && createdAt !== null && trace.at < createdAt - CLOCKS_DIFFER_MS
  })
}

function couldRun({ createdAt }: PodFacts, { startedAt }: WorkflowJobFacts): boolean {
  return startedAt === null || createdAt === null || createdAt <= startedAt + CLOCKS_DIFFER_MS
}

/** A deleted pod is known from its traces. */
function locateByTraces(notUid: string | null, { wanted, asked, known, job }: Search): Place | null {
  if (wanted === null) return null
  const inside = known.traces.filter((trace) => fits(wanted, asked.namespace, trace))
  const longest = inside.toSorted((a, b) => b.name.length - a.name.length)[0]
  if (longest === undefined) return null
  const own = inside.filter(({ name, uid }) => name === longest.name && (uid === null || uid !== notUid))
  const uid = asked.uid ?? findUid(asked.jobId !== null && job === null ? withNode(own) : own, job)
  const node = own.find((trace) => trace.node !== null && (trace.uid === null || trace.uid === uid))?.node ?? null
  return { namespace: longest.namespace, pod: longest.name, uid, node, containerIds: [] }
}

/** A job that cannot be read was run by one of those that came to a node, if any did. */
function withNode(traces: readonly Trace[]): readonly Trace[] {
  const placed = new Set(traces.filter(({ node }) => node !== null).map(({ uid }) => uid))
  const own = traces.filter(({ uid }) => uid !== null && placed.has(uid))
  return own.length > 0 ? own : traces
}

/** Of several pods with the name, the one that was alive when the job started; without a job, the last one. */
function findUid(traces: readonly Trace[], job: WorkflowJobFacts | null): string | null {
  const began = job?.startedAt ?? null
  const dated = traces.filter(({ uid }) => uid !== null).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
  const before = began === null ? [] : dated.filter(({ at }) => at !== null && at <= began + CLOCKS_DIFFER_MS)
  return (before.at(-1) ?? dated.at(-1))?.uid ?? null
}

function findExecution(
  job: WorkflowJobFacts | null,
  { wanted, jobId }: { readonly wanted: string | null; readonly jobId: number | null },
) {
  if (job === null) return { runner: wanted, jobId, runId: null }
  return { runner: job.runner ?? wanted, jobId: job.id, runId: job.runId }
}

/** A job id, or a URL that contains it. */
function jobIdIn(name: string): number | null {
  const digits = /\/job\/(\d+)/.exec(name)?.[1] ?? /^(\d+)$/.exec(name)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** A runner has the name of its pod, or that name with a suffix; the longest matching pod name wins. */
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

/** The last job of this runner, not of an earlier pod of the name. */
function findJob(
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
