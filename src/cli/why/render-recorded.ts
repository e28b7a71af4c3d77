import type { Output } from '#/cli/output/print-output.ts'
import type { Recorded } from './from-store.ts'
import { redactAndClip, renderAnswers, renderWhy } from './render-why.ts'
import type { Answer } from './render-why.ts'
import type { AnswerLength } from './why-sections.ts'
import type { Death } from '#/core/recorder/death.ts'
import { runIn } from '#/core/evidence/subject-run.ts'
import type { CauseKind } from '#/core/why/cause.ts'

/** The answer from the store; `store` has the time of recording and the stored verdict. */
export function renderRecorded(recorded: Recorded, length: AnswerLength): Output {
  const { death, others, successor, judgement: judged } = recorded
  const output = judged === null ? renderAnswers([rowToAnswer(death)], length) : renderWhy([judged], length)
  const { uid, cause, confidence, missed } = death
  const recordedAt = new Date(death.recordedAt).toISOString()
  const live = successor === null ? null : { uid: successor.uid, createdAt: printMoment(successor.createdAt) }
  return { ...output, data: { ...output.data, store: { uid, recordedAt, missed, cause, confidence, others, live } } }
}

function printMoment(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

export function recordedCause({ death, judgement: judged }: Recorded): string {
  return judged?.verdict.cause ?? death.cause
}

/** From a row without evidence: only the verdict is left. */
function rowToAnswer(death: Death): Answer {
  const { namespace, pod, uid, node, runner, job, cause, confidence, actor, sentence, next, blind } = death
  const runId = runIn(job?.url ?? '')?.id ?? null
  const known = Object.entries({ namespace, pod, uid, node, runner, jobId: job?.id ?? null, runId })
  const subject = Object.fromEntries(
    known.flatMap(([key, value]) =>
      value === null ? [] : [[key, typeof value === 'string' ? redactAndClip(value) : value]],
    ),
  )
  return {
    subject,
    verdict: {
      cause,
      confidence,
      kind: death.kind as CauseKind,
      actor: actor === null ? null : redactAndClip(actor),
      sentence: redactAndClip(sentence),
      because: [],
      against: [],
      missing: [],
      next: next.map(redactAndClip),
    },
    alternatives: [],
    timeline: [],
    blind: blind.map(({ source, reason }) => ({ source, reason: redactAndClip(reason) })),
  }
}
