import type { Death } from '#/core/recorder/death.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { hasLooked } from '#/core/why/source-state.ts'
import { QUESTIONED_SOURCES } from '#/core/why/verdict.ts'
import { isNamedAfter } from '#/runtime/collect/request/targets.ts'
import type { Investigation } from '#/runtime/why/investigate.ts'

type Live = Pick<Investigation, 'subject' | 'verdict' | 'evidence'>

/** What was recorded, for the choice. */
export type Told = {
  readonly cause: string
  readonly confidence: number
  /** How many it saw of the sources that a question about a death needs. */
  readonly seen: number
}

/** Whether what is live leaves room for what was recorded: it is about the same pod, and that is gone, or known less. */
export function leavesRoom(
  live: readonly Live[],
  stored: Pick<Death, 'uid' | 'pod' | 'runner' | 'job' | 'cause' | 'confidence' | 'blind'>,
): boolean {
  const [only, ...more] = live
  if (only === undefined || more.length > 0) return false
  if (!isSame(only, stored)) return false
  return isGone(only) || knowsMore(only, toldByRow(stored))
}

/**
 * The more certain is believed. Where both name one cause, or are as certain, the one that saw more of the sources: what
 * it tells not to have been seen was really seen by nobody. Of a pod that is gone, else what was recorded.
 */
export function knowsMore(live: Live, recorded: Told): boolean {
  const { cause, confidence } = live.verdict
  if (recorded.confidence > confidence) return true
  if (recorded.confidence < confidence && recorded.cause !== cause) return false
  const seen = seenIn(live.evidence)
  if (recorded.seen !== seen) return recorded.seen > seen
  return recorded.confidence === confidence && isGone(live)
}

/** Of a row, and of what its evidence says by the present rules where some is kept. */
export function toldBy(death: Death, judged: Live | null): Told {
  if (judged === null) return toldByRow(death)
  const { cause, confidence } = judged.verdict
  return { cause, confidence, seen: seenIn(judged.evidence) }
}

function toldByRow({ cause, confidence, blind }: Pick<Death, 'cause' | 'confidence' | 'blind'>): Told {
  const unseen = new Set(blind.map(({ source }) => source))
  return { cause, confidence, seen: QUESTIONED_SOURCES.filter((source) => !unseen.has(source)).length }
}

/** A list that was read and has the pod no more told nothing of it. */
function seenIn({ sources, pod }: Evidence): number {
  return QUESTIONED_SOURCES.filter(
    (source) => hasLooked(sources, source) && (source !== 'kubernetes/pods' || pod !== null),
  ).length
}

/** Of a run the store finds one death, which may be that of another job or of another attempt. */
function isSame(
  { subject: { uid, jobId, runner } }: Live,
  stored: Pick<Death, 'uid' | 'pod' | 'runner' | 'job'>,
): boolean {
  if (uid !== null) return uid === stored.uid
  if (jobId === null || runner === null) return true
  const own = stored.job?.id ?? null
  return own === null ? runner === stored.runner || isNamedAfter(runner, stored.pod) : own === jobId
}

function isGone({ evidence: { pod, hasSuccessor } }: Live): boolean {
  return pod === null || pod.lastSeenAt !== null || hasSuccessor
}
