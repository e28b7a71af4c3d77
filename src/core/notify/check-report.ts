import type { Death } from '#/core/recorder/death.ts'
import { causeInWords } from '#/core/notify/cause-words.ts'
import { markdownText, oneLine } from '#/core/notify/harmless.ts'
import type { About } from '#/core/notify/notice.ts'
import { groupText, buildText } from '#/core/notify/notice-text.ts'
import { jobTimeline, mergeTimeline } from '#/core/evidence/timeline.ts'
import type { TimelineEntry } from '#/core/evidence/timeline.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'

/** What stands at the commit of a job that was lost. */
export type CheckReport = { readonly name: string; readonly title: string; readonly summary: string }

const LONGEST_TITLE = 200
const LONGEST_NAME = 100
const LONGEST_FACT = 300
const MOST_ENTRIES = 40
/** What GitHub takes, and with one more the whole report is refused. Marks are longer as they are written. */
const LONGEST_SUMMARY = 65_535

/**
 * GitHub shows one check run of a name at a commit, the latest. So each job has a name of its own: one lost job does not
 * hide another, and a job that is lost again replaces its own.
 */
export function checkReport(about: About, job: WorkflowJobFacts): CheckReport {
  const [death] = about.deaths
  const lines = buildTimeline(about, job).map(
    ({ at, fact }) => `- ${time(at)} ${markdownText(oneLine(fact, LONGEST_FACT))}`,
  )
  let summary = buildSummary(about, lines)
  // What led to the end is worth more than how the job began.
  while (summary.length > LONGEST_SUMMARY && lines.length > 0) {
    lines.shift()
    summary = buildSummary(about, lines)
  }
  return {
    name: `signalbox / ${oneLine(job.name ?? death.job?.name ?? `job ${death.job?.id ?? ''}`, LONGEST_NAME)}`,
    title: oneLine(`${causeInWords(death.cause)} (${describeCertainty(death)})`, LONGEST_TITLE),
    summary,
  }
}

function buildSummary(about: About, happened: readonly string[]): string {
  const [death] = about.deaths
  const { sentence, next, unseen } = buildText({ id: '', issuedAt: 0, since: 0, about, more: null, isTest: false })
  const where = [
    `Pod \`${code(`${death.namespace}/${death.pod}`)}\``,
    death.node === null ? '' : `on node \`${code(death.node)}\``,
  ]
  const group = about.others === 0 ? [] : [`One of ${markdownText(groupText(about))}.`, '']
  return [
    markdownText(sentence ?? ''),
    '',
    `${where.filter((part) => part !== '').join(' ')}, cause \`${code(death.cause)}\`, ${describeCertainty(death)} certain.`,
    '',
    ...group,
    '### What happened',
    '',
    ...happened,
    ...titled('What to do next', next),
    ...titled('What could not be seen', unseen),
    '',
    `The evidence: \`signalbox export ${code(death.pod)}\``,
  ].join('\n')
}

function describeCertainty({ confidence }: Death): string {
  return `${Math.round(confidence * 100)} %`
}

function buildTimeline({ deaths: [death] }: About, job: WorkflowJobFacts): readonly TimelineEntry[] {
  const { exitCode, reason, message, diedAt } = death
  const how = [
    exitCode === null ? null : `exit code ${exitCode}`,
    reason,
    message === null || message === '' ? null : message,
  ].filter((part) => part !== null)
  const fact = `the runner ended${how.length === 0 ? '' : `: ${how.join(', ')}`}`
  const end: TimelineEntry = { at: diedAt, source: 'kubernetes/pods', fact }
  const before = mergeTimeline([jobTimeline(job), [end]])
  return before.slice(-MOST_ENTRIES)
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `### ${title}`, '', ...lines.map((line) => `- ${markdownText(line)}`)]
}

/** Between backticks nothing is read but a backtick. */
function code(text: string): string {
  return oneLine(text, LONGEST_FACT).replaceAll('`', "'")
}

function time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
