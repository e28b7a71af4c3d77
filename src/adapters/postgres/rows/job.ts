import { pickJobFacts } from '#/core/dispatch/job.ts'
import type { Job, JobFacts, JobPhase, JobState } from '#/core/dispatch/job.ts'
import { promised } from './rows.ts'
import { runnerColumns, runnerFromRow } from './runner.ts'

export type JobRow = {
  readonly id: number
  readonly run_id: number
  readonly run_attempt: number
  readonly repository: string
  readonly workflow: string
  readonly name: string
  readonly labels: readonly string[]
  readonly scope: string
  readonly queued_at: number
  readonly generation: number
  readonly recoveries: number
  readonly state: JobState
  readonly not_before: number | null
  readonly slot: string | null
  readonly claimed_at: number | null
  readonly minted_at: number | null
  readonly runner_id: number | null
  readonly runner_name: string | null
  readonly started_at: number | null
  readonly conclusion: string | null
  readonly finished_at: number | null
}

type FactColumns = 'run_id' | 'run_attempt' | 'repository' | 'workflow' | 'name' | 'labels' | 'scope' | 'queued_at'

/** What an update writes: of the facts of a job only its scope changes. An absent column is null. */
export type JobUpdate = Pick<JobRow, 'scope' | 'id' | 'generation' | 'recoveries' | 'state'> &
  Partial<Omit<JobRow, FactColumns>>

export function jobFromRow(row: JobRow): Job {
  return { ...factsFromRow(row), generation: row.generation, recoveries: row.recoveries, ...phaseFromRow(row) }
}

/** The columns that say something of a queued job; it is read often. */
export type QueuedJobRow = Pick<JobRow, 'id' | FactColumns | 'generation' | 'recoveries' | 'not_before'>

export function queuedJobFromRow(row: QueuedJobRow): Job {
  return {
    ...factsFromRow(row),
    generation: row.generation,
    recoveries: row.recoveries,
    state: 'queued',
    notBefore: promised(row.not_before, 'not_before'),
  }
}

function factsFromRow(row: Pick<JobRow, 'id' | FactColumns>): JobFacts {
  return {
    id: row.id,
    runId: row.run_id,
    runAttempt: row.run_attempt,
    repository: row.repository,
    workflow: row.workflow,
    name: row.name,
    labels: row.labels,
    scope: row.scope,
    queuedAt: row.queued_at,
  }
}

function phaseFromRow(row: JobRow): JobPhase {
  switch (row.state) {
    case 'queued':
      return { state: 'queued', notBefore: promised(row.not_before, 'not_before') }
    case 'claimed':
      return {
        state: 'claimed',
        slot: promised(row.slot, 'slot'),
        claimedAt: promised(row.claimed_at, 'claimed_at'),
      }
    case 'minted':
      return { state: 'minted', slot: promised(row.slot, 'slot'), mintedAt: promised(row.minted_at, 'minted_at') }
    case 'executing':
      return {
        state: 'executing',
        runner: { id: row.runner_id, name: promised(row.runner_name, 'runner_name') },
        startedAt: promised(row.started_at, 'started_at'),
      }
    case 'finished':
      return {
        state: 'finished',
        runner: runnerFromRow(row),
        conclusion: promised(row.conclusion, 'conclusion'),
        finishedAt: promised(row.finished_at, 'finished_at'),
      }
  }
}

export function jobUpdate(job: Job): JobUpdate {
  const { id, scope, generation, recoveries } = job
  return { id, scope, generation, recoveries, ...phaseColumns(job) }
}

/** What an insert writes. */
export function jobInsert(job: Job): JobUpdate & Pick<JobRow, FactColumns> {
  const facts = pickJobFacts(job)
  return {
    ...jobUpdate(job),
    run_id: facts.runId,
    run_attempt: facts.runAttempt,
    repository: facts.repository,
    workflow: facts.workflow,
    name: facts.name,
    labels: facts.labels,
    queued_at: facts.queuedAt,
  }
}

function phaseColumns(job: Job): Pick<JobRow, 'state'> & Partial<JobRow> {
  switch (job.state) {
    case 'queued':
      return { state: job.state, not_before: job.notBefore }
    case 'claimed':
      return { state: job.state, slot: job.slot, claimed_at: job.claimedAt }
    case 'minted':
      return { state: job.state, slot: job.slot, minted_at: job.mintedAt }
    case 'executing':
      return { state: job.state, ...runnerColumns(job.runner), started_at: job.startedAt }
    case 'finished':
      return {
        state: job.state,
        ...runnerColumns(job.runner),
        conclusion: job.conclusion,
        finished_at: job.finishedAt,
      }
  }
}
