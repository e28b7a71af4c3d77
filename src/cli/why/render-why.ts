import type { Section, Output } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { describeReason } from '#/core/basics/observed.ts'
import { RECORDS } from '#/core/evidence/timeline.ts'
import type { Fact } from '#/core/why/fact.ts'
import { QUESTIONED_SOURCES } from '#/core/why/verdict.ts'
import { blindSources } from '#/core/why/source-state.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'

/** One subject is the document itself; several are listed in `results`. */
export function renderWhy(results: readonly JudgedSubject[]): Output {
  return renderAnswers(results.map(toAnswer))
}

export function renderAnswers(answers: readonly Answer[]): Output {
  const [only] = answers
  return {
    data: answers.length === 1 && only !== undefined ? only : { results: answers },
    sections: answers.flatMap((answer) => toSections(answer, answers.length > 1)),
  }
}

export type Answer = ReturnType<typeof toAnswer>

/** Everything is redacted here, names too: tokens get pasted anywhere. */
function toAnswer(result: JudgedSubject) {
  const { doubts, ...verdict } = result.verdict
  return {
    subject: subjectFields(result),
    verdict: {
      ...verdict,
      actor: verdict.actor === null ? null : redactAndClip(verdict.actor),
      sentence: redactAndClip(verdict.sentence),
      because: verdict.because.map(factToJson),
      against: doubts.map(factToJson),
      next: verdict.next.map(redactAndClip),
    },
    alternatives: result.alternatives,
    timeline: timelineEntries(result),
    blind: listBlind(result),
  }
}

/** Only the known fields. */
export function subjectFields({ subject }: JudgedSubject): Readonly<Record<string, string | number>> {
  const { namespace, pod, uid, node, container, runner, jobId, runId } = subject
  const known = Object.entries({ namespace, pod, uid, node, container, runner, jobId, runId })
  return Object.fromEntries(
    known.flatMap(([key, value]) =>
      value === null ? [] : [[key, typeof value === 'string' ? redactAndClip(value) : value]],
    ),
  )
}

export function timelineEntries({ timeline }: JudgedSubject) {
  return timeline.map(({ at, source, fact }) => ({
    at: printTime(at),
    source: redactAndClip(source),
    fact: redactAndClip(fact),
  }))
}

function factToJson({ source, text, at }: Fact) {
  return { source: redactAndClip(source), fact: redactAndClip(text), ...(at === null ? {} : { at: printTime(at) }) }
}

export function listBlind({ evidence }: JudgedSubject) {
  return blindSources(evidence.sources).map(({ source, reason }) => ({
    source,
    reason: redactAndClip(describeReason(reason)),
  }))
}

/** Longer lines are cut after redaction: half a secret would not be recognised as one. */
const LONGEST = 300
const KEPT_END = 80

export function redactAndClip(text: string): string {
  const safe = redact(text)
  // The end of an error often says what went wrong.
  return safe.length > LONGEST ? `${safe.slice(0, LONGEST - KEPT_END)}…${safe.slice(-KEPT_END)}` : safe
}

/** Always with milliseconds, so that times sort as text. */
function printTime(at: number): string {
  return new Date(at).toISOString()
}

/** The last minutes, and the job; `signalbox timeline` prints everything. */
const SHOWN_ENTRIES = 40
const PERCENT = 100

function toSections(
  { subject, verdict, alternatives, timeline, blind }: Answer,
  isOneOfMany: boolean,
): readonly Section[] {
  const name = `${subject['pod'] ?? subject['runner'] ?? `job ${subject['jobId']}`}`
  const by = verdict.actor === null ? '' : `, by ${printable(verdict.actor)}`
  const certainty = `${verdict.cause} (${verdict.kind}), confidence ${Math.round(verdict.confidence * PERCENT)} %${by}`
  const shown = timeline.filter(({ source }, index) => source === RECORDS || timeline.length - index <= SHOWN_ENTRIES)
  const cut = timeline.length - shown.length
  const isUnknown = verdict.cause === 'unknown'
  return [
    { ...(isOneOfMany ? { title: printable(name) } : {}), text: `${printable(verdict.sentence)}\n${certainty}` },
    rows(
      'What happened',
      ['time', 'source', 'fact'],
      shown.map(({ at, source, fact }) => [at, source, shortened(fact)]),
    ),
    ...(cut > 0 ? [{ text: `… and ${cut} earlier entries: see signalbox timeline.\n` }] : []),
    rows(
      isUnknown ? 'What supports the best guess' : 'What supports it',
      ['source', 'fact'],
      verdict.because.map(({ source, fact }) => [source, shortened(fact)]),
    ),
    rows(
      'What seems to contradict it',
      ['source', 'fact'],
      verdict.against.map(({ source, fact }) => [source, fact]),
    ),
    rows(
      'Blind sources',
      ['source', 'why'],
      blind.filter((one) => isWorthShowing(one, verdict)).map(({ source, reason }) => [source, reason]),
    ),
    rows(
      'Other causes',
      ['cause', 'confidence'],
      alternatives.map(({ cause, confidence }) => [cause, `${Math.round(confidence * PERCENT)} %`]),
    ),
    { title: 'What to do next', text: `${verdict.next.map((line) => `- ${printable(line)}`).join('\n')}\n` },
  ].filter((section) => !('table' in section) || section.table === undefined || section.table.rows.length > 0)
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

function rows(title: string, columns: readonly string[], lines: readonly (readonly string[])[]): Section {
  return { title, table: { columns: [...columns], rows: lines.map((line) => line.map(printable)) } }
}
