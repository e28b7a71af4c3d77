import type { JobConclusion, RunStatus, SimJob, SimRun, WorldEvent } from './world-state.ts'
import type { Tables } from './world-tables.ts'
import { nameKey, requireRow, SimMisuse } from './world-tables.ts'

export type JobSpec = {
  readonly name?: string
  readonly labels: readonly string[]
  /** Held back by an environment or a concurrency group until it is released. */
  readonly waiting?: boolean
}

export type RunSpec = {
  readonly repository: string
  readonly workflow?: string
  readonly event?: string
  readonly headBranch?: string
  readonly headSha?: string
  readonly jobs: readonly JobSpec[]
}

/** A push, or whatever starts a workflow. */
export function queueRun(tables: Tables, spec: RunSpec): { readonly run: SimRun; readonly jobs: readonly SimJob[] } {
  const repository = requireRow(tables.repositories, nameKey(spec.repository), 'repository')
  const now = tables.clock.now()
  const name = spec.workflow ?? 'CI'
  const earlier = [...tables.runs.values()].filter((run) => run.repository === repository.fullName)
  const workflow = earlier.find((run) => run.workflow.name === name)?.workflow
  const run: SimRun = {
    id: tables.seeded.id(),
    repository: repository.fullName,
    workflow: workflow ?? { id: tables.seeded.id(), name, path: `.github/workflows/${nameKey(name)}.yml` },
    number: earlier.filter((other) => other.workflow.name === name).length + 1,
    attempt: 1,
    event: spec.event ?? 'push',
    headBranch: spec.headBranch ?? 'main',
    headSha: spec.headSha ?? tables.seeded.hex(40),
    checkSuite: tables.seeded.id(),
    status: 'queued',
    conclusion: null,
    createdAt: now,
    attemptStartedAt: now,
    updatedAt: now,
  }
  tables.runs.set(run.id, run)
  emitRun(tables, 'requested', run)
  const jobs = spec.jobs.map((job) => addJob(tables, run, job))
  return { run: refreshRun(tables, run.id), jobs }
}

/** One more job in a run that is not over, as a job whose needs are met now. */
export function addToRun(tables: Tables, runId: number, spec: JobSpec): SimJob {
  const run = requireRow(tables.runs, runId, 'run')
  if (run.status === 'completed') throw new SimMisuse(`run ${runId} is completed`)
  const job = addJob(tables, run, spec)
  refreshRun(tables, runId)
  return job
}

export type RerunSelection = (job: SimJob) => boolean

/** A new attempt: chosen jobs are queued again under new ids, the others are carried over as they ended. */
export function rerun(tables: Tables, runId: number, chosen: RerunSelection): readonly SimJob[] {
  const before = requireRow(tables.runs, runId, 'run')
  if (before.status !== 'completed') throw new SimMisuse(`run ${runId} is not completed`)
  const earlier = jobsOfAttempt(tables, runId, before.attempt)
  const now = tables.clock.now()
  const run: SimRun = {
    ...before,
    attempt: before.attempt + 1,
    status: 'queued',
    conclusion: null,
    attemptStartedAt: now,
    updatedAt: now,
  }
  tables.runs.set(runId, run)
  emitRun(tables, 'requested', run)
  for (const job of earlier.filter((job) => !chosen(job))) {
    keepJob(tables, { ...job, id: tables.seeded.id(), attempt: run.attempt })
  }
  const again = earlier.filter(chosen).map((job) => addJob(tables, run, { name: job.name, labels: job.labels }))
  refreshRun(tables, runId)
  return again
}

export function jobsOfRun(tables: Tables, runId: number): readonly SimJob[] {
  return (tables.jobsOfRun.get(runId) ?? []).map((id) => requireRow(tables.jobs, id, 'job'))
}

export function jobsOfAttempt(tables: Tables, runId: number, attempt: number): readonly SimJob[] {
  return jobsOfRun(tables, runId).filter((job) => job.attempt === attempt)
}

/** A run's state follows from its jobs; subscribers get a webhook when it changes. */
export function refreshRun(tables: Tables, runId: number): SimRun {
  const before = requireRow(tables.runs, runId, 'run')
  const jobs = jobsOfAttempt(tables, runId, before.attempt)
  const status = runStatus(jobs)
  const run: SimRun = {
    ...before,
    status,
    conclusion: status === 'completed' ? runConclusion(jobs) : null,
    updatedAt: tables.clock.now(),
  }
  tables.runs.set(runId, run)
  if (status !== before.status && (status === 'in_progress' || status === 'completed')) emitRun(tables, status, run)
  return run
}

export function emitJob(
  tables: Tables,
  action: Extract<WorldEvent, { kind: 'workflow_job' }>['action'],
  job: SimJob,
): void {
  const run = requireRow(tables.runs, job.run, 'run')
  const repository = requireRow(tables.repositories, nameKey(job.repository), 'repository')
  tables.emit({ kind: 'workflow_job', action, job, run, repository })
}

function emitRun(tables: Tables, action: Extract<WorldEvent, { kind: 'workflow_run' }>['action'], run: SimRun): void {
  const repository = requireRow(tables.repositories, nameKey(run.repository), 'repository')
  tables.emit({ kind: 'workflow_run', action, run, repository })
}

function addJob(tables: Tables, run: SimRun, spec: JobSpec): SimJob {
  const status = spec.waiting === true ? 'waiting' : 'queued'
  const job: SimJob = {
    id: tables.seeded.id(),
    run: run.id,
    attempt: run.attempt,
    repository: run.repository,
    name: spec.name ?? 'build',
    labels: spec.labels,
    status,
    conclusion: null,
    createdAt: tables.clock.now(),
    startedAt: null,
    completedAt: null,
    runner: null,
    steps: [],
    annotations: [],
    log: null,
  }
  keepJob(tables, job)
  emitJob(tables, status, job)
  return job
}

function keepJob(tables: Tables, job: SimJob): void {
  tables.jobs.set(job.id, job)
  tables.jobsOfRun.set(job.run, [...(tables.jobsOfRun.get(job.run) ?? []), job.id])
}

function runStatus(jobs: readonly SimJob[]): RunStatus {
  if (jobs.length > 0 && jobs.every((job) => job.status === 'completed')) return 'completed'
  if (jobs.some((job) => job.status === 'in_progress' || job.status === 'completed')) return 'in_progress'
  return jobs.length > 0 && jobs.every((job) => job.status === 'waiting') ? 'waiting' : 'queued'
}

function runConclusion(jobs: readonly SimJob[]): JobConclusion {
  const worstFirst = ['failure', 'cancelled', 'success', 'skipped'] as const
  return worstFirst.find((conclusion) => jobs.some((job) => job.conclusion === conclusion)) ?? 'success'
}
