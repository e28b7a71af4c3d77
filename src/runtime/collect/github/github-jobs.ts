import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { numberAt, textAt } from '#/core/basics/fields.ts'
import { blind } from '#/core/basics/observed.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { SubjectArgument } from '#/core/evidence/subject-argument.ts'
import { readWorkflowJob } from '#/core/github/workflow-job-facts.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { GitHub } from '#/ports/github.ts'
import type { GitHubDocument } from '#/ports/github-documents.ts'
import type { Means } from '#/runtime/collect/request/request.ts'

/** A job as GitHub printed it, and where. */
export type FoundJob = {
  readonly repository: string
  readonly id: number
  readonly document: GitHubDocument
  readonly facts: WorkflowJobFacts
}

const JOBS = 'github/jobs'

/** The jobs that the question names by number or address, before anything else is known. */
export async function* gatherAskedJobs(means: Means): AsyncGenerator<BundleFile, readonly FoundJob[]> {
  const { subject, github } = means.request
  if (subject === null || subject.kind === 'pod') return []
  if (github === null) {
    means.answers.blind(JOBS, blind('unauthenticated', 'no credential for GitHub is configured').reason)
    return []
  }
  means.request.progress('asking GitHub for the job')
  const jobs =
    subject.kind === 'job' ? await findJob(means, github, subject) : await findJobsOfRun(means, github, subject)
  if (jobs.kind === 'blind') {
    means.answers.blind(JOBS, jobs.reason)
    return []
  }
  return yield* writeJobs(means, jobs.found)
}

type Finding =
  | { readonly kind: 'found'; readonly found: readonly FoundJob[] }
  | { readonly kind: 'blind'; readonly reason: BlindReason }

async function findJob(
  { request }: Means,
  { documents }: GitHub,
  { repository, id }: SubjectArgument & { kind: 'job' },
): Promise<Finding> {
  const places = repository === null ? request.places.repositories : [repository]
  if (places.length === 0) {
    return blind('not-asked', `the repository of job ${id} is not known: give it, or the address of the job`)
  }
  let reason = blind('expired', `GitHub has no job ${id} in ${places.join(', ')}`).reason
  for (const place of places) {
    const read = await documents.job(place, id, { signal: request.signal })
    if (read.kind === 'seen') return { kind: 'found', found: foundJobs(place, [read.value]) }
    if (read.kind === 'blind') reason = read.reason
  }
  return { kind: 'blind', reason }
}

async function findJobsOfRun(
  { request }: Means,
  { documents }: GitHub,
  { repository, id, attempt }: SubjectArgument & { kind: 'run' },
): Promise<Finding> {
  const options = { signal: request.signal, ...(attempt === null ? {} : { attempt }) }
  const read = await documents.jobsOfRun(repository, id, options)
  if (read.kind === 'blind') return read
  if (read.kind === 'none') return blind('expired', `GitHub has no jobs of run ${id}`)
  return { kind: 'found', found: foundJobs(repository, read.value) }
}

export function foundJobs(repository: string, documents: readonly GitHubDocument[]): readonly FoundJob[] {
  return documents.flatMap((document) => {
    const id = numberAt(document, 'id')
    return id === null ? [] : [{ repository, id, document, facts: readWorkflowJob(document) }]
  })
}

async function* writeJobs(
  { answers }: Means,
  jobs: readonly FoundJob[],
): AsyncGenerator<BundleFile, readonly FoundJob[]> {
  for (const { id, document } of jobs) yield { path: bundlePath.githubJob(id), content: printed(document) }
  answers.looked(JOBS)
  return jobs
}

/** Where ARC's record of a runner says which run its job belongs to. */
export type RunOfRunner = { readonly runner: string; readonly repository: string; readonly run: number }

export function runsOfRunners(runners: readonly object[], pods: ReadonlySet<string>): readonly RunOfRunner[] {
  return runners.flatMap((runner) => {
    const name = textAt(runner, 'metadata', 'name')
    const repository = textAt(runner, 'status', 'jobRepositoryName')
    const run = numberAt(runner, 'status', 'workflowRunId')
    if (name === null || !pods.has(name) || repository === null || run === null) return []
    return [{ runner: textAt(runner, 'status', 'runnerName') ?? name, repository, run }]
  })
}

/** The job of a runner that the question names by its pod. Each way to it costs requests; the first that leads there is taken. */
export async function* gatherJobsOfRunners(
  means: Means,
  runners: ReadonlySet<string>,
  records: readonly RunOfRunner[],
): AsyncGenerator<BundleFile, readonly FoundJob[]> {
  const { github, places, signal } = means.request
  if (github === null || runners.size === 0) return []
  means.request.progress('asking GitHub for the job of the runner')
  let reason = blind('not-asked', 'nothing names the job of this runner: give its number or its address').reason
  for (const { runner, repository, run } of records) {
    const jobs = await github.documents.jobsOfRun(repository, run, { attempt: 'all', signal })
    if (jobs.kind === 'blind') reason = jobs.reason
    const own = jobs.kind === 'seen' ? jobs.value.filter((job) => textAt(job, 'runner_name') === runner) : []
    if (own.length > 0) return yield* writeJobs(means, foundJobs(repository, own))
  }
  for (const repository of places.repositories) {
    const queue = yield* gatherQueue(means, github, { repository, runners })
    if (queue.kind === 'blind') reason = queue.reason
    else if (queue.found.length > 0) return yield* writeJobs(means, queue.found)
  }
  means.answers.blind(JOBS, reason)
  return []
}

/** The list of what waits and runs is evidence by itself, and is kept. */
async function* gatherQueue(
  { request, answers }: Means,
  { documents }: GitHub,
  { repository, runners }: { readonly repository: string; readonly runners: ReadonlySet<string> },
): AsyncGenerator<BundleFile, Finding> {
  const source = 'github/queued-jobs'
  const jobs = await documents.unfinishedJobs(repository, { signal: request.signal })
  if (jobs.kind === 'blind') {
    answers.blindUnlessLooked(source, jobs.reason)
    return jobs
  }
  const rows = jobs.kind === 'seen' ? jobs.value : []
  if (answers.sources().get(source)?.kind !== 'looked') {
    answers.looked(source, { remark: `of ${repository}` })
    yield { path: bundlePath.githubQueuedJobs, content: printed(rows) }
  }
  const own = rows.filter((job) => runners.has(textAt(job, 'runner_name') ?? ''))
  return { kind: 'found', found: foundJobs(repository, own) }
}

export function printed(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
