import { cleanEnd } from '#/core/recorder/clean-end.ts'
import type { CleanEnd } from '#/core/recorder/clean-end.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import type { Judgement, Verdict } from '#/core/why/verdict.ts'

/** What the recorder needs of a judgement. The facts behind it stay in the thread that judged: a journal holds many. */
export type JudgedDeath = {
  readonly verdict: Pick<Verdict, 'cause' | 'kind' | 'confidence' | 'actor' | 'sentence' | 'next'>
  readonly evidence: Pick<Evidence, 'pod' | 'sources'>
  /** Null: not a clean end. */
  readonly clean: CleanEnd | null
}

export function toJudgedDeath(judged: Judgement & { readonly evidence: Evidence }): JudgedDeath {
  const { cause, kind, confidence, actor, sentence, next } = judged.verdict
  const { pod, sources } = judged.evidence
  return {
    verdict: { cause, kind, confidence, actor, sentence, next },
    evidence: { pod, sources },
    clean: cleanEnd(judged, judged.evidence),
  }
}
