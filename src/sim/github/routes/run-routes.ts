import { json, notFound, refusal } from '#/sim/github/render/answers.ts'
import type { Context } from './context.ts'
import { findRun } from './job-routes.ts'
import { linkHeader, numberedPage } from './pagination.ts'
import { renderRun } from '#/sim/github/render/render-run.ts'
import type { RerunSelection } from '#/sim/github/world/run-lifecycle.ts'
import type { Access, Call, Route } from './router.ts'
import { repositoryName } from './router.ts'

const READS: Access = { kind: 'permission', permission: 'actions', level: 'read' }
const WRITES: Access = { kind: 'permission', permission: 'actions', level: 'write' }
const RUNS = '/repos/{owner}/{repo}/actions/runs'

export function runRoutes(context: Context): readonly Route[] {
  return [
    { method: 'GET', path: RUNS, access: READS, answer: (call) => listRuns(context, call) },
    {
      method: 'GET',
      path: `${RUNS}/{run_id}`,
      access: READS,
      answer: (call) => {
        const run = findRun(context, call)
        const repository = context.world.repository(repositoryName(call))
        if (run === null || repository === undefined) return notFound()
        return json(200, renderRun(run, repository, call.urls))
      },
    },
    {
      method: 'POST',
      path: `${RUNS}/{run_id}/rerun`,
      access: WRITES,
      answer: (call) => rerunRun(context, call, () => true),
    },
    {
      method: 'POST',
      path: `${RUNS}/{run_id}/rerun-failed-jobs`,
      access: WRITES,
      answer: (call) => rerunRun(context, call, (job) => job.conclusion !== 'success' && job.conclusion !== 'skipped'),
    },
    { method: 'POST', path: `${RUNS}/{run_id}/cancel`, access: WRITES, answer: (call) => cancel(context, call) },
    { method: 'POST', path: `${RUNS}/{run_id}/force-cancel`, access: WRITES, answer: (call) => cancel(context, call) },
  ]
}

/** Newest first. `status` is a status or a conclusion, as GitHub's is. */
function listRuns(context: Context, call: Call): Response {
  const repository = context.world.repository(repositoryName(call))
  if (repository === undefined) return notFound()
  const { searchParams } = call.url
  const status = searchParams.get('status')
  const runs = context.world
    .runs()
    .filter((run) => run.repository === repository.fullName)
    .filter((run) => matches(status, run.status) || matches(status, run.conclusion))
    .filter((run) => matches(searchParams.get('event'), run.event))
    .filter((run) => matches(searchParams.get('branch'), run.headBranch))
    .filter((run) => matches(searchParams.get('head_sha'), run.headSha))
    .toReversed()
  const page = numberedPage(runs, call.url)
  const rows = page.rows.map((run) => renderRun(run, repository, call.urls))
  return json(200, { total_count: runs.length, workflow_runs: rows }, linkHeader(page.link))
}

function matches(asked: string | null, value: string | null): boolean {
  return asked === null || asked === value
}

function rerunRun(context: Context, call: Call, chosen: RerunSelection): Response {
  const run = findRun(context, call)
  if (run === null) return notFound()
  if (run.status !== 'completed') return refusal(403, 'This workflow is already running')
  const jobs = context.world.jobsOfRun(run.id).filter((job) => job.attempt === run.attempt)
  if (!jobs.some(chosen)) return refusal(403, 'This workflow run has no failed jobs')
  context.world.rerun(run.id, chosen)
  return json(201, {})
}

function cancel(context: Context, call: Call): Response {
  const run = findRun(context, call)
  if (run === null) return notFound()
  if (run.status === 'completed') return refusal(409, 'Cannot cancel a workflow run that is completed.')
  context.world.cancelRun(run.id)
  return json(202, {})
}
