import type { Death } from '#/core/recorder/death.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import { causeInWords } from '#/core/notify/cause-words.ts'
import { oneLine, webLink } from '#/core/notify/harmless.ts'
import type { About, Counted, Notice } from '#/core/notify/notice.ts'

/** What every channel says, in plain text; each writes it in its own form. */
export type NoticeText = {
  readonly headline: string
  /** What happened, of the first death. */
  readonly sentence: string | null
  readonly deaths: readonly DeathText[]
  /** Of this notice and not in the list. */
  readonly unshown: number
  readonly next: readonly string[]
  readonly unseen: readonly string[]
  readonly more: string | null
  readonly test: string | null
}
export type DeathText = {
  readonly text: string
  readonly job: { readonly name: string; readonly url: string | null } | null
}

const MOST_SHOWN = 10
const MOST_NEXT = 3
const MOST_UNSEEN = 5
const LONGEST_SENTENCE = 600
const LONGEST_NAME = 120
const MOST_CAUSES = 3

export function buildText({ about, more, isTest }: Notice): NoticeText {
  const deaths = about?.deaths ?? []
  const headline = about === null ? countedHeadline(more) : buildHeadline(about)
  return {
    headline: isTest ? `TEST: ${headline}` : headline,
    sentence: deaths[0] === undefined ? null : buildSentence(deaths[0]),
    deaths: deaths.slice(0, MOST_SHOWN).map(deathText),
    unshown: Math.max(0, deaths.length - MOST_SHOWN),
    next: distinct(deaths.flatMap(({ next }) => next)).slice(0, MOST_NEXT),
    unseen: distinct(deaths.flatMap(({ blind }) => blind.map(({ source, reason }) => `${source}: ${reason}`))).slice(
      0,
      MOST_UNSEEN,
    ),
    more: about === null || more === null ? null : `and ${countedText(more)}`,
    test: isTest ? 'This is a test of the channel (signalbox notify test): nothing died.' : null,
  }
}

/** `6 runners on node n7 in 40 s: node lost`. */
export function buildHeadline(about: About): string {
  const { deaths, others } = about
  const count = deaths.length + others
  const [first] = deaths
  if (count === 1)
    return `${podName(first)}${first.node === null ? '' : ` on node ${name(first.node)}`}: ${describeCauses(deaths)}`
  const added = others === 0 ? '' : `${deaths.length} more: `
  return `${added}${groupText(about)}: ${describeCauses(deaths)}`
}

/** `6 runners on node n7 in 40 s`. */
export function groupText({ shared, deaths, others, from, to }: About): string {
  const where = shared.by === 'node' ? `on node ${name(shared.node)}` : `of pool ${name(shared.pool)}`
  return `${deaths.length + others} runners ${where} ${within(to - from)}`
}

function within(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds <= 1) return 'within a second'
  return seconds < 60 ? `in ${seconds} s` : `in ${formatDuration(seconds * 1000)}`
}

function describeCauses(deaths: readonly Death[]): string {
  const counts = new Map<string, number>()
  for (const { cause } of deaths) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  return counts.size === 1 ? causeInWords(deaths[0]?.cause ?? '') : countsText(counts)
}

function countsText(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  const shown = sorted.slice(0, MOST_CAUSES).map(([cause, count]) => `${count} ${name(causeInWords(cause))}`)
  const rest = sorted.slice(MOST_CAUSES).reduce((sum, [, count]) => sum + count, 0)
  return [...shown, ...(rest === 0 ? [] : [`${rest} others`])].join(', ')
}

function countedHeadline(more: Counted | null): string {
  return more === null ? 'nothing' : countedText(more)
}

/** `14 more since 12:01:07Z (9 node lost, 5 image not pulled): signalbox deaths --since 2026-06-06T12:01:07Z`. */
function countedText({ count, since, causes }: Counted): string {
  const from = `${new Date(since).toISOString().slice(0, 19)}Z`
  const what = countsText(new Map(Object.entries(causes)))
  return `${count} more (${what}): signalbox deaths --since ${from}`
}

function deathText(death: Death): DeathText {
  const at = `${new Date(death.diedAt).toISOString().slice(11, 19)}Z`
  const node = death.node === null ? '' : ` on ${name(death.node)}`
  const certain = `${causeInWords(death.cause)}, ${Math.round(death.confidence * 100)} %`
  const missed = death.missed ? '; nothing was watching when it went' : ''
  return { text: `${at} ${podName(death)}${node}: ${oneLine(certain, LONGEST_NAME)}${missed}`, job: toJob(death) }
}

function toJob({ job, repository, workflow }: Death): DeathText['job'] {
  if (job === null) return null
  const parts = [repository, workflow, job.name ?? (job.id === null ? 'a job' : `job ${job.id}`)].flatMap((part) =>
    part === null ? [] : [name(part)],
  )
  return { name: parts.join(' / '), url: webLink(job.url) }
}

function podName({ namespace, pod }: Death): string {
  return `${name(namespace)}/${name(pod)}`
}

function buildSentence({ sentence, missed }: Death): string {
  return oneLine(missed ? `${sentence} Nothing was watching when it went.` : sentence, LONGEST_SENTENCE)
}

function name(text: string): string {
  return oneLine(text, LONGEST_NAME)
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => oneLine(text, LONGEST_SENTENCE)))].filter((text) => text !== '')
}
