import type { Annotation, JobConclusion, SimJob, Step } from './world-state.ts'
import type { Tables } from './world-tables.ts'
import { requireRow, SimMisuse } from './world-tables.ts'
import { refreshRun, emitJob } from './run-lifecycle.ts'
import { releaseRunner } from './runner-lifecycle.ts'

export type JobResult = {
  readonly conclusion: JobConclusion
  readonly log?: string
  readonly annotations?: readonly Annotation[]
}

export function changeJob(tables: Tables, id: number, change: Partial<SimJob>): SimJob {
  const job: SimJob = { ...requireRow(tables.jobs, id, 'job'), ...change }
  tables.jobs.set(id, job)
  return job
}

/** The gate before a waiting job (an environment, a concurrency group) opens. */
export function releaseJob(tables: Tables, id: number): SimJob {
  requireStatus(requireRow(tables.jobs, id, 'job'), ['waiting'])
  const job = changeJob(tables, id, { status: 'queued' })
  emitJob(tables, 'queued', job)
  refreshRun(tables, job.run)
  return job
}

/** The runner that was given the job picks it up. */
export function startJob(tables: Tables, id: number): SimJob {
  const queued = requireRow(tables.jobs, id, 'job')
  requireStatus(queued, ['queued'])
  const runner = [...tables.runners.values()].find((candidate) => candidate.job?.id === id)
  if (runner === undefined) throw new SimMisuse(`job ${id} was given to no runner`)
  if (!runner.online) throw new SimMisuse(`runner ${runner.name} is not online`)
  const now = tables.clock.now()
  const job = changeJob(tables, id, {
    status: 'in_progress',
    startedAt: now,
    runner: { id: runner.id, name: runner.name, group: runner.group },
    steps: [openStep('Set up job', 1, now)],
  })
  emitJob(tables, 'in_progress', job)
  refreshRun(tables, job.run)
  return job
}

/** The running step ends well and the next one begins. */
export function beginStep(tables: Tables, id: number, name: string): SimJob {
  const job = requireRow(tables.jobs, id, 'job')
  requireStatus(job, ['in_progress'])
  const now = tables.clock.now()
  return changeJob(tables, id, {
    steps: [...closeSteps(job.steps, 'success', now), openStep(name, job.steps.length + 1, now)],
  })
}

/** The runner reports the end, or GitHub ends a job that no runner has. */
export function completeJob(tables: Tables, id: number, result: JobResult): SimJob {
  const before = requireRow(tables.jobs, id, 'job')
  requireStatus(before, ['waiting', 'queued', 'in_progress'])
  const now = tables.clock.now()
  const ran = before.status === 'in_progress'
  const steps = closeSteps(before.steps, result.conclusion, now)
  return endJob(tables, before, {
    conclusion: result.conclusion,
    annotations: [...before.annotations, ...(result.annotations ?? [])],
    steps: ran ? [...steps, ...closeSteps([openStep('Complete job', steps.length + 1, now)], 'success', now)] : steps,
    log: ran ? { kind: 'text', text: result.log ?? `${before.name}\n` } : null,
  })
}

/** Nothing was reported: the open step stays open for ever and there is no log. */
export function loseJob(tables: Tables, id: number): SimJob {
  const before = requireRow(tables.jobs, id, 'job')
  requireStatus(before, ['in_progress'])
  return endJob(tables, before, {
    conclusion: 'failure',
    annotations: [...before.annotations, lostCommunication(before.runner?.name ?? '')],
    log: null,
  })
}

function endJob(tables: Tables, before: SimJob, change: Partial<SimJob>): SimJob {
  const job = changeJob(tables, before.id, { ...change, status: 'completed', completedAt: tables.clock.now() })
  releaseRunner(tables, job.id)
  emitJob(tables, 'completed', job)
  refreshRun(tables, job.run)
  return job
}

function lostCommunication(runner: string): Annotation {
  return {
    level: 'failure',
    title: null,
    path: '.github',
    message:
      `The self-hosted runner: ${runner} lost communication with the server. Verify the machine is running and has a ` +
      'healthy network connection. Anything in your workflow that terminates the runner process, starves it for ' +
      'CPU/Memory, or blocks its network access can cause this error.',
  }
}

function openStep(name: string, number: number, startedAt: number): Step {
  return { name, number, status: 'in_progress', conclusion: null, startedAt, completedAt: null }
}

function closeSteps(steps: readonly Step[], conclusion: JobConclusion, now: number): readonly Step[] {
  return steps.map((step) =>
    step.status === 'completed' ? step : { ...step, status: 'completed', conclusion, completedAt: now },
  )
}

function requireStatus(job: SimJob, allowed: readonly SimJob['status'][]): void {
  if (!allowed.includes(job.status)) throw new SimMisuse(`job ${job.id} is ${job.status}, not ${allowed.join(' or ')}`)
}
