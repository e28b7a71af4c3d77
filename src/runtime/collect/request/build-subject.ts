import type { BundleSubject } from '#/core/evidence/bundle-meta.ts'
import type { SubjectArgument } from '#/core/evidence/subject-argument.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'
import { isNamedAfter, plannedRunner } from './targets.ts'
import type { Target } from './targets.ts'

type Found = {
  readonly targets: readonly Target[]
  readonly jobs: readonly WorkflowJobFacts[]
  /** The question names a run, by its address or by its number. */
  readonly isOfRun: boolean
}

/** The subject for `meta.json`: what the question named, with all that was found out about it. */
export function buildSubject(asked: SubjectArgument | null, { targets, jobs, isOfRun }: Found): BundleSubject {
  const runId = isOfRun && asked !== null && asked.kind !== 'pod' ? asked.id : null
  // One must not stand for the others: whoever reads the run finds them all.
  if (runId !== null && !isOne(targets, jobs)) return { runId }
  const target = targets.length === 1 ? targets[0] : undefined
  return withoutNulls({
    ...(target === undefined ? findPod(asked) : foundPod(target)),
    ...(runId !== null && jobs.length === 0 ? { runId } : findExecution(asked, jobs)),
  })
}

/** One runner, one job, or a runner and the job that was its own. */
function isOne(targets: readonly Target[], jobs: readonly WorkflowJobFacts[]): boolean {
  if (targets.length > 1 || jobs.length > 1) return false
  const [target, job] = [targets[0], jobs[0]]
  if (target === undefined || job === undefined) return target !== job
  return job.runner !== null && isNamedAfter(job.runner, target.subject.pod)
}

function findExecution(asked: SubjectArgument | null, jobs: readonly WorkflowJobFacts[]) {
  const [job] = jobs
  if (job !== undefined && jobs.length === 1) return { runner: job.runner, jobId: job.id, runId: job.runId }
  if (asked?.kind === 'run') return { runId: asked.id }
  return asked?.kind === 'job' ? { jobId: asked.id } : {}
}

/** The name alone, as it was asked for: a reader may know more. */
function findPod(asked: SubjectArgument | null) {
  return asked?.kind === 'pod' ? { namespace: asked.namespace, pod: asked.name } : {}
}

function foundPod({ subject, containers }: Target) {
  const { namespace, pod, uid, node, runner } = subject
  return { namespace, pod, uid, node, container: plannedRunner(containers), runner }
}

function withoutNulls(fields: { readonly [K in keyof BundleSubject]?: BundleSubject[K] | null }): BundleSubject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))
}
