import type { Output } from '#/cli/output/print-output.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { Fact } from '#/core/why/fact.ts'
import { blindSources } from '#/core/why/source-state.ts'
import { whySections } from './why-sections.ts'
import type { AnswerLength } from './why-sections.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'

/** One subject is the document itself; several are listed in `results`. */
export function renderWhy(results: readonly JudgedSubject[], length: AnswerLength): Output {
  return renderAnswers(results.map(toAnswer), length)
}

export function renderAnswers(answers: readonly Answer[], length: AnswerLength): Output {
  const [only] = answers
  return {
    data: answers.length === 1 && only !== undefined ? only : { results: answers },
    sections: answers.flatMap((answer) => whySections(answer, { length, isOneOfMany: answers.length > 1 })),
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
