import { isoTime, isoTimeOrNull } from './answers.ts'
import type { Schema } from './schemas.ts'
import type { Urls } from './urls.ts'
import { nodeId } from './node-id.ts'
import type { SimJob, SimRun } from '#/sim/github/world/world-state.ts'

type RunnerFields = Pick<Schema<'job'>, 'runner_id' | 'runner_name' | 'runner_group_id' | 'runner_group_name'>

const NOT_YET: RunnerFields = { runner_id: null, runner_name: null, runner_group_id: null, runner_group_name: null }
const NEVER: RunnerFields = { runner_id: 0, runner_name: '', runner_group_id: 0, runner_group_name: '' }

/** As in the API: a job that ended without a runner has runner 0 with an empty name. */
export function renderJob(job: SimJob, run: SimRun, urls: Urls) {
  return {
    ...renderJobFacts(job, run, urls),
    ...(renderRunner(job) ?? (job.status === 'completed' ? NEVER : NOT_YET)),
  } satisfies Schema<'job'>
}

/** As in a webhook: no runner is always `null`. */
export function renderHookJob(job: SimJob, run: SimRun, urls: Urls) {
  return { ...renderJobFacts(job, run, urls), ...(renderRunner(job) ?? NOT_YET) } satisfies Schema<'job'>
}

function renderRunner(job: SimJob): RunnerFields | null {
  const { runner } = job
  if (runner === null) return null
  return {
    runner_id: runner.id,
    runner_name: runner.name,
    runner_group_id: runner.group.id,
    runner_group_name: runner.group.name,
  }
}

function renderJobFacts(job: SimJob, run: SimRun, urls: Urls) {
  const repository = `${urls.api}/repos/${job.repository}`
  return {
    id: job.id,
    run_id: job.run,
    run_url: `${repository}/actions/runs/${job.run}`,
    run_attempt: job.attempt,
    node_id: nodeId('CheckRun', job.id),
    head_sha: run.headSha,
    head_branch: run.headBranch,
    url: `${repository}/actions/jobs/${job.id}`,
    html_url: `${urls.web}/${job.repository}/actions/runs/${job.run}/job/${job.id}`,
    status: job.status,
    conclusion: job.conclusion,
    created_at: isoTime(job.createdAt),
    started_at: isoTime(job.startedAt ?? job.createdAt),
    completed_at: isoTimeOrNull(job.completedAt),
    name: job.name,
    workflow_name: run.workflow.name,
    steps: job.steps.map((step) => ({
      name: step.name,
      status: step.status,
      conclusion: step.conclusion,
      number: step.number,
      started_at: isoTime(step.startedAt),
      completed_at: isoTimeOrNull(step.completedAt),
    })),
    check_run_url: `${repository}/check-runs/${job.id}`,
    labels: [...job.labels],
  }
}
