import { json, notFound, refusal } from '#/sim/github/render/answers.ts'
import type { Context } from './context.ts'
import { linkHeader, numberedPage } from './pagination.ts'
import { renderJob } from '#/sim/github/render/render-job.ts'
import type { Access, Call, Route } from './router.ts'
import { idParam, repositoryName } from './router.ts'
import type { SimJob, SimRun } from '#/sim/github/world/world-state.ts'
import { nameKey } from '#/sim/github/world/world-tables.ts'

const READS: Access = { kind: 'permission', permission: 'actions', level: 'read' }
const WRITES: Access = { kind: 'permission', permission: 'actions', level: 'write' }
const REPOSITORY = '/repos/{owner}/{repo}'

export function jobRoutes(context: Context): readonly Route[] {
  return [
    {
      method: 'GET',
      path: `${REPOSITORY}/actions/jobs/{job_id}`,
      access: READS,
      answer: (call) => {
        const found = findJob(context, call)
        return found === null ? notFound() : json(200, renderJob(found.job, found.run, call.urls))
      },
    },
    {
      method: 'GET',
      path: `${REPOSITORY}/actions/jobs/{job_id}/logs`,
      access: READS,
      answer: (call) => sendLogs(context, call),
    },
    {
      method: 'POST',
      path: `${REPOSITORY}/actions/jobs/{job_id}/rerun`,
      access: WRITES,
      answer: (call) => {
        const found = findJob(context, call)
        if (found === null) return notFound()
        if (found.run.status !== 'completed') {
          return refusal(403, 'The workflow run containing this job is already running')
        }
        context.world.rerun(found.run.id, (job) => job.name === found.job.name)
        return json(201, {})
      },
    },
    {
      method: 'GET',
      path: `${REPOSITORY}/actions/runs/{run_id}/jobs`,
      access: READS,
      answer: (call) => {
        const run = findRun(context, call)
        if (run === null) return notFound()
        const all = call.url.searchParams.get('filter') === 'all'
        return listJobs(context, call, run, (job) => all || job.attempt === run.attempt)
      },
    },
    {
      method: 'GET',
      path: `${REPOSITORY}/actions/runs/{run_id}/attempts/{attempt_number}/jobs`,
      access: READS,
      answer: (call) => {
        const run = findRun(context, call)
        const attempt = idParam(call, 'attempt_number')
        if (run === null || !(attempt >= 1 && attempt <= run.attempt)) return notFound()
        return listJobs(context, call, run, (job) => job.attempt === attempt)
      },
    },
  ]
}

/** A run of another repository is not there, whatever its id. */
export function findRun(context: Context, call: Call): SimRun | null {
  const run = context.world.run(idParam(call, 'run_id'))
  return run !== undefined && nameKey(run.repository) === nameKey(repositoryName(call)) ? run : null
}

function findJob(context: Context, call: Call): { readonly job: SimJob; readonly run: SimRun } | null {
  const job = context.world.job(idParam(call, 'job_id'))
  const run = job === undefined ? undefined : context.world.run(job.run)
  if (job === undefined || run === undefined) return null
  return nameKey(job.repository) === nameKey(repositoryName(call)) ? { job, run } : null
}

function listJobs(context: Context, call: Call, run: SimRun, wanted: (job: SimJob) => boolean): Response {
  const jobs = context.world.jobsOfRun(run.id).filter(wanted)
  const page = numberedPage(jobs, call.url)
  const rows = page.rows.map((job) => renderJob(job, run, call.urls))
  return json(200, { total_count: jobs.length, jobs: rows }, linkHeader(page.link))
}

function sendLogs(context: Context, call: Call): Response {
  const found = findJob(context, call)
  if (found === null) return notFound()
  if (found.job.log?.kind === 'expired') return refusal(410, 'Gone')
  const location = context.logLinks.issue(call.url.origin, found.job.id, context.clock.now())
  return new Response(null, { status: 302, headers: { location } })
}
