import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { textAt } from '#/core/basics/fields.ts'
import { blind } from '#/core/basics/observed.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { GitHub } from '#/ports/github.ts'
import type { GitHubDocument } from '#/ports/github-documents.ts'
import type { FleetRegistrations } from './fleet-registrations.ts'
import { gatherAnnotations } from '#/runtime/collect/github/github-details.ts'
import { foundJobs, printed, runsOfRunners } from '#/runtime/collect/github/github-jobs.ts'
import type { FoundJob, RunOfRunner } from '#/runtime/collect/github/github-jobs.ts'
import { inParallel } from '#/runtime/collect/request/in-parallel.ts'
import type { Means } from '#/runtime/collect/request/request.ts'
import { createTimeLimit } from '#/runtime/collect/request/time-limit.ts'

const QUEUE = 'github/queued-jobs'
const JOBS = 'github/jobs'
const AT_ONCE = 4
const ALL_MS = 120_000
/** Each costs two requests, and one more for each of its runs. */
const MOST_REPOSITORIES = 50
const MOST_RUNS = 200
const MOST_ANNOTATED = 50

/** Whose jobs the runners of the fleet may be waited for by. The busiest come first. */
export function queueRepositories(
  runners: readonly object[],
  { asked }: FleetRegistrations,
  named: readonly string[],
): readonly string[] {
  const counts = new Map<string, number>()
  for (const runner of runners) {
    const name = textAt(runner, 'status', 'jobRepositoryName')
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const busiest = [...counts].toSorted(([, a], [, b]) => b - a).map(([name]) => name)
  const registered = asked.flatMap((one) => (one.kind === 'repository' ? [one.repository] : []))
  const distinct = new Map([...named, ...registered, ...busiest].map((name) => [name.toLowerCase(), name]))
  return [...distinct.values()].filter((name) => /^[\w.-]+\/[\w.-]+$/.test(name))
}

export type Queue = {
  /** Runners that a job names which has not ended. */
  readonly busy: ReadonlySet<string>
}

/** Jobs that wait or run. One repository that cannot be read makes the list blind: the job that waits may be there. */
export async function* gatherQueue(
  means: Means,
  github: GitHub,
  {
    repositories,
    registrations,
  }: { readonly repositories: readonly string[]; readonly registrations: FleetRegistrations },
): AsyncGenerator<BundleFile, Queue> {
  const { clock, signal, progress } = means.request
  const chosen = repositories.slice(0, MOST_REPOSITORIES)
  const rows: GitHubDocument[] = []
  const unread: BlindReason[] = []
  const limit = createTimeLimit({ clock, signal, eachMs: ALL_MS, allMs: ALL_MS })
  const ask = async (name: string) => ({
    name,
    read: await limit.ask(name, (within) => github.documents.unfinishedJobs(name, { signal: within })),
  })
  if (chosen.length > 0) progress('asking GitHub for jobs that wait or run')
  for await (const { name, read } of inParallel(chosen, AT_ONCE, ask)) {
    signal.throwIfAborted()
    if (read.kind === 'seen') for (const row of read.value) rows.push(row)
    if (read.kind === 'blind') unread.push({ code: read.reason.code, detail: `${name}: ${read.reason.detail}` })
  }
  const [first] = unread
  if (chosen.length === 0) means.answers.blind(QUEUE, noRepository(registrations))
  else if (first !== undefined) {
    means.answers.blind(QUEUE, { ...first, detail: unread.map(({ detail }) => detail).join('; ') })
  } else means.answers.looked(QUEUE, { remark: queueRemark(repositories, registrations) })
  if (unread.length < chosen.length) yield { path: bundlePath.githubQueuedJobs, content: printed(rows) }
  return { busy: new Set(rows.flatMap((row) => textAt(row, 'runner_name') ?? [])) }
}

function noRepository({ asked }: FleetRegistrations): BlindReason {
  const whose = asked.flatMap((one) => (one.kind === 'organization' ? [one.organization] : [])).join(', ')
  const of = whose === '' ? '' : ` of ${whose}`
  return blind('not-asked', `no repository${of} is known whose jobs may wait: give --repo OWNER/NAME`).reason
}

/** GitHub has no list of what waits in a whole organisation. */
function queueRemark(repositories: readonly string[], { asked }: FleetRegistrations): string {
  const chosen = repositories.slice(0, MOST_REPOSITORIES)
  const rest = asked.some(({ kind }) => kind === 'organization') ? '; of other repositories nothing is known' : ''
  const left = repositories.length - chosen.length
  return `of ${chosen.join(', ')}${left === 0 ? '' : ` and not of ${left} more`}${rest}`
}

export type NamedJobsWish = { readonly runners: readonly object[]; readonly wantsAnnotations: boolean }

/** The jobs that ARC's records name and that are not among those that run: the ones that have ended. */
export async function* gatherNamedJobs(
  means: Means,
  github: GitHub,
  { runners, busy, wantsAnnotations }: NamedJobsWish & Queue,
): AsyncGenerator<BundleFile> {
  const { answers, request } = means
  const { clock, signal, progress } = request
  const names = new Set(runners.flatMap((runner) => textAt(runner, 'metadata', 'name') ?? []))
  const records = runsOfRunners(runners, names).filter(({ runner }) => !busy.has(runner))
  const runs = [...Map.groupBy(records, ({ repository, run }) => `${repository}#${run}`).values()]
  const limit = createTimeLimit({ clock, signal, eachMs: ALL_MS, allMs: ALL_MS })
  const unread: BlindReason[] = []
  if (runs.length > 0) progress('asking GitHub for the jobs of the runners')
  const ask = async (sharing: readonly RunOfRunner[]) => {
    const [{ repository, run } = { repository: '', run: 0 }] = sharing
    const question = (within: AbortSignal) =>
      github.documents.jobsOfRun(repository, run, { attempt: 'all', signal: within })
    return { sharing, repository, read: await limit.ask(`run ${run} of ${repository}`, question) }
  }
  const written = new Set<number>()
  const failed: FoundJob[] = []
  for await (const { sharing, repository, read } of inParallel(runs.slice(0, MOST_RUNS), AT_ONCE, ask)) {
    signal.throwIfAborted()
    if (read.kind === 'blind') unread.push(read.reason)
    const own = new Set(sharing.map(({ runner }) => runner))
    const rows = read.kind === 'seen' ? read.value.filter((job) => own.has(textAt(job, 'runner_name') ?? '')) : []
    for (const job of foundJobs(repository, rows)) {
      if (written.has(job.id)) continue
      written.add(job.id)
      if (/^(?:failure|cancelled)$/.test(job.facts.conclusion ?? '')) failed.push(job)
      yield { path: bundlePath.githubJob(job.id), content: printed(job.document) }
    }
  }
  if (wantsAnnotations) yield* gatherAllAnnotations(means, github, failed)
  const [first] = unread
  if (first !== undefined && unread.length === Math.min(runs.length, MOST_RUNS)) return answers.blind(JOBS, first)
  answers.looked(JOBS, { remark: jobsRemark({ runs: runs.length, unread: unread.length }) })
}

/** What GitHub says of the jobs that failed: it says there that the runner was lost. */
async function* gatherAllAnnotations(
  means: Means,
  github: GitHub,
  jobs: readonly FoundJob[],
): AsyncGenerator<BundleFile> {
  const chosen = jobs.slice(0, MOST_ANNOTATED)
  const remark = chosen.length === jobs.length ? null : `of ${chosen.length} jobs of ${jobs.length}`
  if (chosen.length === 0)
    return means.answers.looked('github/annotations', { remark: 'no job of a runner has failed' })
  for (const job of chosen) yield* gatherAnnotations(means, github, { job, remark })
}

function jobsRemark({ runs, unread }: { readonly runs: number; readonly unread: number }): string | null {
  const left = Math.max(0, runs - MOST_RUNS)
  const remarks = [
    left === 0 ? null : `without those of ${left} more runs`,
    unread === 0 ? null : `${unread} of ${runs} runs could not be read`,
  ].filter((remark) => remark !== null)
  return remarks.length === 0 ? null : remarks.join('; ')
}
