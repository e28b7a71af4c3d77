import type { Section } from '#/cli/output/print-output.ts'
import type { Table } from '#/cli/output/table.ts'
import { printable } from '#/cli/output/printable.ts'
import { shortenTimeline } from '#/core/why/shown-timeline.ts'
import type { ShownEntry } from '#/core/why/shown-timeline.ts'
import { QUESTIONED_SOURCES } from '#/core/why/verdict.ts'
import type { Answer } from './render-why.ts'

/** `brief`: the sentence, the cause and the first step. `full`: with the whole timeline. */
export type AnswerLength = 'brief' | 'usual' | 'full'

type Form = { readonly length: AnswerLength; readonly isOneOfMany: boolean }

const MOST_ROWS = 20
const PERCENT = 100

/** For a person, in the order in which they need it: what happened, what to do, how we know, what we do not know. */
export function whySections(answer: Answer, { length, isOneOfMany }: Form): readonly Section[] {
  const { subject, verdict, alternatives } = answer
  const name = `${subject['pod'] ?? subject['runner'] ?? `job ${subject['jobId']}`}`
  const head = headSection(answer, isOneOfMany ? { title: printable(name) } : {})
  if (length === 'brief') return [head, ...stepList(verdict.next.slice(0, 1))]
  return [
    head,
    ...stepList(verdict.next),
    ...factList(verdict.cause === 'unknown' ? 'What supports the best guess' : 'What supports it', verdict.because),
    ...factList('What seems to contradict it', verdict.against),
    ...blindList(answer),
    ...otherCauses(alternatives),
    ...timelineSections(answer, length),
  ]
}

function headSection({ verdict }: Answer, title: { readonly title?: string }): Section {
  const by = verdict.actor === null ? '' : `, by ${printable(verdict.actor)}`
  const certainty = `${verdict.cause} (${verdict.kind}), confidence ${Math.round(verdict.confidence * PERCENT)} %${by}`
  const sentence = printable(verdict.sentence)
  const named = title.title === undefined ? '' : `### ${title.title}\n\n`
  return { ...title, text: `${sentence}\n${certainty}`, markdown: `${named}**${sentence}**\n${certainty}\n` }
}

function stepList(steps: readonly string[]): readonly Section[] {
  if (steps.length === 0) return []
  const text = steps.map((line) => `- ${printable(line)}`).join('\n')
  return [{ title: 'What to do next', text, markdown: `**What to do next**\n${text}\n` }]
}

function factList(title: string, facts: Answer['verdict']['because']): readonly Section[] {
  const rows = facts.map(({ source, fact }) => [source, shortened(fact)] as const)
  return listing(title, ['source', 'fact'], rows)
}

function blindList({ blind, verdict }: Answer): readonly Section[] {
  const rows = blind
    .filter((one) => isWorthShowing(one, verdict))
    .map(({ source, reason }) => [source, reason] as const)
  return listing('What could not be seen', ['source', 'why'], rows)
}

/** Ranks in words: the confidences of different causes do not add up to 100 %. */
function otherCauses(alternatives: Answer['alternatives']): readonly Section[] {
  const rows = alternatives.map(({ cause, confidence }) => [cause, rank(confidence)] as const)
  return listing('Other causes', ['cause', 'how likely'], rows)
}

function rank(confidence: number): string {
  if (confidence > 0.5) return 'likely too'
  return confidence > 0.25 ? 'possible' : 'unlikely'
}

/** In Markdown, a list: chats do not show tables. */
function listing(
  title: string,
  columns: readonly [string, string],
  rows: readonly (readonly [string, string])[],
): readonly Section[] {
  if (rows.length === 0) return []
  const items = rows.map(([first, second]) => `- ${printable(first)}: ${asCode(second)}\n`).join('')
  return [{ title, table: toTable(columns, rows), markdown: `**${title}**\n${items}` }]
}

/** A chat must not read `*`, `_` or `<` of a log line as formatting. */
function asCode(text: string): string {
  const line = printable(text)
  return /[*_<>[\]`~|]/.test(line) ? `\`\` ${line} \`\`` : line
}

function timelineSections({ subject, timeline, verdict }: Answer, length: AnswerLength): readonly Section[] {
  if (timeline.length === 0) return []
  const entries = timeline.map(({ at, source, fact }) => ({ at: Date.parse(at), source, fact }))
  // The last fact behind the verdict is where the runner died.
  const times = verdict.because.flatMap(({ at }) => (at === undefined ? [] : [Date.parse(at)]))
  const diedAt = times.length === 0 ? null : Math.max(...times)
  const all = entries.map(({ at, source, fact }) => ({ at, source, fact, from: at, count: 1 }))
  const shown = length === 'full' ? all : shortenTimeline(entries, { diedAt, most: MOST_ROWS })
  const own = `logs/${subject['namespace']}/${subject['pod']}/`
  const rows = shown.map((entry) => [printTime(entry.at), entry.source.replace(own, 'logs/'), describeEntry(entry)])
  const title = 'What happened'
  const lines = rows.map((row) => `${row.map((cell) => printable(cell).replaceAll('`', "'")).join('  ')}\n`).join('')
  const left = entries.length - shown.reduce((sum, { count }) => sum + count, 0)
  const section = {
    title,
    table: toTable(['time', 'source', 'fact'], rows),
    markdown: `**${title}**\n\`\`\`text\n${lines}\`\`\`\n`,
  }
  return left === 0 ? [section] : [section, { text: `… and ${left} more: see --timeline.` }]
}

function describeEntry({ fact, from, at, count }: ShownEntry): string {
  const line = shortened(fact)
  return count === 1 ? line : `${line} (${count} times, ${timeOfDay(from)} to ${timeOfDay(at)})`
}

const DATE = '2026-11-18T'
const TO_THE_SECOND = '2026-11-18T00:00:00'

function timeOfDay(at: number): string {
  return printTime(at).slice(DATE.length, TO_THE_SECOND.length)
}

function printTime(at: number): string {
  return new Date(at).toISOString()
}

function toTable(columns: readonly string[], rows: readonly (readonly string[])[]): Table {
  return { columns: [...columns], rows: rows.map((row) => row.map(printable)) }
}

const CONTAINER_ID = /\b([0-9a-f]{12})[0-9a-f]{28,52}\b/g
/** The time has its own column. */
const TIME_OF_LINE = /\btime="[^"]{1,40}" (?=level=)|\b[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (?=[\w-]+\.go:\d+\])/g

/** For people; `-o json` and `signalbox timeline` have the whole line. */
function shortened(fact: string): string {
  return fact.replaceAll(CONTAINER_ID, '$1').replaceAll(TIME_OF_LINE, '')
}

/** A source that was not read and is not needed for a death is not a gap. */
function isWorthShowing({ source, reason }: Answer['blind'][number], { missing }: Answer['verdict']): boolean {
  const isNeeded = missing.includes(source) || (QUESTIONED_SOURCES as readonly string[]).includes(source)
  return isNeeded || !reason.startsWith('not-asked')
}
