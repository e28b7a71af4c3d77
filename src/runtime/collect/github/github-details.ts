import { bundlePath } from '#/core/evidence/bundle-path.ts'
import { numberAt, textAt } from '#/core/basics/fields.ts'
import { blind } from '#/core/basics/observed.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { GitHub } from '#/ports/github.ts'
import type { GitHubDocument } from '#/ports/github-documents.ts'
import { createByteTail } from '#/runtime/collect/request/byte-tail.ts'
import { printed } from './github-jobs.ts'
import type { FoundJob } from './github-jobs.ts'
import type { Means } from '#/runtime/collect/request/request.ts'

/** A job's log has an end worth reading; what is before this much of it is left out. */
const LOG_TAIL_BYTES = 8 * 1024 * 1024
const MOST_LOG_BYTES = 512 * 1024 * 1024
const MOST_JOBS = 50

/** Successful jobs of a run explain nothing; they are left out. */
export function jobsWorthDetails(jobs: readonly FoundJob[]): readonly FoundJob[] {
  if (jobs.length === 1) return jobs
  return jobs.filter(({ facts }) => !/^(?:success|skipped)$/.test(facts.conclusion ?? '')).slice(0, MOST_JOBS)
}

/** Runs, annotations and logs of the jobs. */
export async function* gatherDetails(
  means: Means,
  jobs: readonly FoundJob[],
  attempt: number | null,
): AsyncGenerator<BundleFile> {
  const { github } = means.request
  if (github === null || jobs.length === 0) return
  yield* gatherRuns(means, github, { jobs, attempt })
  const chosen = jobsWorthDetails(jobs)
  const remark = chosen.length === jobs.length ? null : `of ${chosen.length} jobs of ${jobs.length}`
  for (const [index, job] of chosen.entries()) {
    means.request.progress(`reading job ${job.id} (${index + 1} of ${chosen.length})`)
    yield* gatherAnnotations(means, github, { job, remark })
    yield* gatherJobLog(means, github, { job, remark })
  }
}

async function* gatherRuns(
  means: Means,
  github: GitHub,
  { jobs, attempt }: { readonly jobs: readonly FoundJob[]; readonly attempt: number | null },
): AsyncGenerator<BundleFile> {
  const ofRun = new Map(jobs.flatMap((job) => (job.facts.runId === null ? [] : [[job.facts.runId, job] as const])))
  for (const [run, { repository, document }] of ofRun) {
    const read = await readRun(means, github, {
      repository,
      run,
      attempt: attempt ?? numberAt(document, 'run_attempt'),
    })
    if (read.kind === 'seen') {
      means.answers.looked('github/runs')
      yield { path: bundlePath.githubRun(run), content: printed(read.value) }
    } else means.answers.blindUnlessLooked('github/runs', missing(read, `run ${run}`))
  }
}

/** The run as it was in the job's attempt. The latest is asked for first: mostly it is the one. */
async function readRun(
  { request: { signal } }: Means,
  { documents }: GitHub,
  { repository, run, attempt }: { readonly repository: string; readonly run: number; readonly attempt: number | null },
): Promise<Observed<GitHubDocument>> {
  const latest = await documents.run(repository, run, { signal })
  if (latest.kind !== 'seen' || attempt === null || numberAt(latest.value, 'run_attempt') === attempt) return latest
  return documents.run(repository, run, { attempt, signal })
}

type JobOrder = { readonly job: FoundJob; readonly remark: string | null }

export async function* gatherAnnotations(
  { request, answers }: Means,
  { documents }: GitHub,
  { job: { repository, id, document }, remark }: JobOrder,
): AsyncGenerator<BundleFile> {
  const source = 'github/annotations'
  const checkRun = Number(/\/check-runs\/(\d+)$/.exec(textAt(document, 'check_run_url') ?? '')?.[1] ?? id)
  const read = await documents.annotations(repository, checkRun, { signal: request.signal })
  if (read.kind === 'blind') return blindOne(answers, { source, id }, read.reason)
  answers.looked(source, { remark })
  yield { path: bundlePath.githubAnnotations(id), content: printed(read.kind === 'seen' ? read.value : []) }
}

async function* gatherJobLog(
  { request, answers }: Means,
  { jobs }: GitHub,
  { job: { repository, id, facts }, remark }: JobOrder,
): AsyncGenerator<BundleFile> {
  const source = 'github/logs'
  if (facts.status !== 'completed') {
    const reason = blind('not-asked', `job ${id} has not ended, and GitHub has its log only then`).reason
    return blindOne(answers, { source, id }, reason)
  }
  const tail = createByteTail(LOG_TAIL_BYTES)
  const read = await jobs.log(repository, id, { maxBytes: MOST_LOG_BYTES, take: tail.take, signal: request.signal })
  if (read.kind === 'blind') return blindOne(answers, { source, id }, read.reason)
  const own = [
    read.kind === 'none' ? 'GitHub has no log of it' : null,
    tail.isCut() ? 'the beginning is cut off' : null,
    read.kind === 'seen' && !read.value.complete ? 'the end is cut off' : null,
  ].filter((text) => text !== null)
  answers.looked(source, { remark })
  if (own.length > 0) answers.looked(`${source}/${id}`, { remark: own.join('; ') })
  yield { path: bundlePath.githubLog(id), content: tail.bytes() }
}

/** Where another job's part was read, the name of the source stands for it, and a longer name for this one. */
function blindOne(
  answers: Means['answers'],
  { source, id }: { readonly source: string; readonly id: number },
  reason: BlindReason,
): void {
  answers.blindUnlessLooked(source, reason)
  answers.blind(`${source}/${id}`, reason)
}

function missing(read: Exclude<Observed<unknown>, { kind: 'seen' }>, what: string): BlindReason {
  return read.kind === 'blind' ? read.reason : blind('expired', `GitHub has no ${what}`).reason
}
