import { answerFor, blindByAnswer } from '#/core/evidence/bundle-source.ts'
import { logEnd } from '#/core/fleet/log-end.ts'
import type { JobLogExcerpt, Snapshot, SourceGap } from '#/core/fleet/snapshot.ts'
import { blind, seenList } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { CUT, toExcerpt, openRemark } from './read-excerpts.ts'

const SOURCE = 'github/logs'

export type JobLogReading = {
  readonly jobLogs: NonNullable<Snapshot['jobLogs']>
  readonly gaps: readonly SourceGap[]
  readonly remark: string | null
}

/** Reads the lines of each job log that an audit may need. A log that GitHub no longer has does not affect the others. */
export async function readJobLogs(bundle: Bundle, mentions: readonly string[]): Promise<JobLogReading> {
  const answer = answerFor(bundle.meta.sources, SOURCE)
  if (answer !== null && answer.kind !== 'looked') return only(blindByAnswer(answer))
  const jobs = bundle.paths.flatMap((path) => /^github\/logs\/(\d{1,19})\.log$/.exec(path)?.[1] ?? [])
  if (jobs.length === 0 && answer === null) return only(blind('not-asked', `${SOURCE} was not collected`))
  const excerpts: JobLogExcerpt[] = []
  const gaps: SourceGap[] = []
  let open = 0
  for (const id of jobs) {
    const log = await bundle.githubLog(Number(id))
    if (log.kind === 'blind' && log.reason.code !== 'expired') return only(log)
    if (log.kind !== 'seen') continue
    const end = logEnd(log.value)
    if (end === 'cut') gaps.push({ source: `${SOURCE}/${id}`, reason: CUT.reason })
    if (end === 'open') open += 1
    const name = { namespace: '', pod: '', container: '', previous: false }
    excerpts.push({ job: Number(id), lines: toExcerpt(name, log.value, mentions, end).lines })
  }
  return { jobLogs: seenList(excerpts), gaps, remark: openRemark(open, jobs.length) }
}

function only(jobLogs: JobLogReading['jobLogs']): JobLogReading {
  return { jobLogs, gaps: [], remark: null }
}
