import { json, notFound } from '#/sim/github/render/answers.ts'
import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import type { Clock } from '#/ports/clock.ts'
import { hasEnded, jobAt, runAt } from './github-documents.ts'
import type { JobDocuments } from './github-documents.ts'
import { textAt } from '#/core/basics/fields.ts'

const BUDGET = 15_000
const HOUR_SECONDS = 3600

export type GitHubSource = { readonly clock: Clock; readonly jobs: () => Iterable<JobDocuments> }

type Question = {
  readonly source: GitHubSource
  readonly own: readonly JobDocuments[]
  readonly url: URL
  readonly id: number
}
type Route = readonly [pattern: RegExp, answer: (question: Question) => Response]

/** GitHub's API for the replayed jobs. */
export function gitHubFacade(source: GitHubSource): FetchHandler {
  return async (request) => {
    const url = new URL(request.url)
    if (request.method !== 'GET') return json(403, { message: 'A replay is only looked at.' })
    if (url.pathname === '/rate_limit') return json(200, rateLimit(source.clock))
    const file = /^\/files\/(\d+)\.log$/.exec(url.pathname)
    if (file !== null) return logFile(source, Number(file[1]))
    const [, repository, rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)$/.exec(url.pathname) ?? []
    const own = [...source.jobs()].filter((job) => job.repository === repository)
    for (const [pattern, answer] of ROUTES) {
      const found = pattern.exec(rest)
      if (found !== null) return answer({ source, own, url, id: Number(found[1] ?? 0) })
    }
    return notFound()
  }
}

const ROUTES: readonly Route[] = [
  [/^\/actions\/runs$/, (question) => runs(question)],
  [
    /^\/actions\/runs\/(\d+)$/,
    ({ own, id, source }) =>
      one(
        own.find((job) => job.runId === id),
        (job) => runAt(job, source.clock.now()),
      ),
  ],
  [/^\/actions\/runs\/(\d+)\/(?:attempts\/\d+\/)?jobs$/, (question) => jobsOfRun(question)],
  [
    /^\/actions\/jobs\/(\d+)$/,
    ({ own, id, source }) =>
      one(
        own.find((job) => job.id === id),
        (job) => jobAt(job, source.clock.now()),
      ),
  ],
  [/^\/actions\/jobs\/(\d+)\/logs$/, (question) => logLink(question)],
  [
    /^\/check-runs\/(\d+)\/annotations$/,
    ({ own, id, source }) =>
      one(
        own.find((job) => job.id === id),
        (job) => annotations(job, source.clock.now()),
      ),
  ],
]

function one(found: JobDocuments | undefined, render: (job: JobDocuments) => unknown): Response {
  return found === undefined ? notFound() : json(200, render(found))
}

function annotations(job: JobDocuments, now: number): readonly unknown[] {
  return hasEnded(job, now) ? job.annotations : []
}

function runs({ source, own, url }: Question): Response {
  const status = url.searchParams.get('status')
  const now = source.clock.now()
  const all = own.map((job) => runAt(job, now)).filter((run) => status === null || textAt(run, 'status') === status)
  return json(200, { total_count: all.length, workflow_runs: pickPage(all, url) })
}

function jobsOfRun({ source, own, url, id }: Question): Response {
  const jobs = own.filter((job) => job.runId === id).map((job) => jobAt(job, source.clock.now()))
  return jobs.length === 0 ? notFound() : json(200, { total_count: jobs.length, jobs: pickPage(jobs, url) })
}

function pickPage<T>(rows: readonly T[], url: URL): readonly T[] {
  const size = Number(url.searchParams.get('per_page')) || 30
  const page = Number(url.searchParams.get('page')) || 1
  return rows.slice((page - 1) * size, page * size)
}

function logLink({ source, own, url, id }: Question): Response {
  const job = own.find((job) => job.id === id)
  if (job === undefined || !hasEnded(job, source.clock.now())) return notFound()
  return new Response(null, { status: 302, headers: { location: `${url.origin}/files/${id}.log` } })
}

function logFile({ jobs }: GitHubSource, id: number): Response {
  const job = [...jobs()].find((one) => one.id === id)
  return job === undefined || job.log === null
    ? notFound()
    : new Response(job.log, { headers: { 'content-type': 'text/plain' } })
}

function rateLimit(clock: Clock): object {
  const core = { limit: BUDGET, used: 0, remaining: BUDGET, reset: Math.ceil(clock.now() / 1000) + HOUR_SECONDS }
  return { resources: { core }, rate: core }
}
