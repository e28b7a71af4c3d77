import type { PodFacts } from '#/core/pod-facts.ts'
import type { WorkflowJobFacts } from '#/core/workflow-job-facts.ts'

/** Whose story is asked for. What is not known is null; the UID tells a pod from its successor of the same name. */
export type Subject = {
  readonly namespace: string | null
  readonly pod: string | null
  readonly uid: string | null
  readonly node: string | null
  readonly runner: string | null
  readonly jobId: number | null
  readonly runId: number | null
  /** Of every container of the pod, init containers too, and of those before a restart. */
  readonly containerIds: readonly string[]
}

/** What a person, or `meta.json`, names. */
export type Asked = {
  readonly namespace: string | null
  /** A pod, a runner, or a job by its number: people paste what they have. */
  readonly name: string | null
  readonly jobId: number | null
}

export type Known = { readonly pods: readonly PodFacts[]; readonly jobs: readonly WorkflowJobFacts[] }

/** Null when nothing that is known fits what was asked. */
export function resolveSubject(asked: Asked, known: Known): Subject | null {
  const pasted = asked.name === null ? null : jobIdIn(asked.name)
  const named = known.jobs.find(({ id }) => id !== null && id === (asked.jobId ?? pasted)) ?? null
  const wanted = (pasted === null ? asked.name : null) ?? named?.runner ?? null
  const pod = wanted === null ? null : findPod(wanted, asked.namespace, known.pods)
  const job = named ?? jobOf(pod, wanted, known.jobs)
  if (pod === null && job === null) return null
  return { ...podOf(pod, asked), ...executionOf(job, wanted) }
}

function podOf(pod: PodFacts | null, { namespace }: Asked) {
  if (pod === null) return { namespace, pod: null, uid: null, node: null, containerIds: [] }
  const containerIds = pod.containers.flatMap(({ id }) => (id === null ? [] : [id]))
  return { namespace: pod.namespace, pod: pod.name, uid: pod.uid, node: pod.node, containerIds }
}

function executionOf(job: WorkflowJobFacts | null, wanted: string | null) {
  if (job === null) return { runner: wanted, jobId: null, runId: null }
  return { runner: job.runner ?? wanted, jobId: job.id, runId: job.runId }
}

/** The number of a job, or an address that holds it. */
function jobIdIn(name: string): number | null {
  const digits = /\/job\/(\d+)/.exec(name)?.[1] ?? /^(\d+)$/.exec(name)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** A runner is called like its pod, or like its pod with a suffix; the longest pod name that fits is meant. */
function findPod(name: string, namespace: string | null, pods: readonly PodFacts[]): PodFacts | null {
  const [before, after] = name.includes('/') ? name.split('/', 2) : [namespace, name]
  const inside = pods.filter((pod) => before === null || before === undefined || pod.namespace === before)
  const fits = inside.filter((pod) => after === pod.name || (after ?? '').startsWith(`${pod.name}-`))
  return fits.toSorted((a, b) => b.name.length - a.name.length)[0] ?? null
}

function jobOf(
  pod: PodFacts | null,
  runner: string | null,
  jobs: readonly WorkflowJobFacts[],
): WorkflowJobFacts | null {
  const own = jobs.filter((job) => {
    if (job.runner === null) return false
    return job.runner === runner || job.runner === pod?.name || (pod !== null && job.runner.startsWith(`${pod.name}-`))
  })
  return own.toSorted((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0))[0] ?? null
}
