import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { hasLooked } from '#/core/why/source-state.ts'
import { QUESTIONED_SOURCES } from '#/core/why/verdict.ts'
import { isNamedAfter } from '#/runtime/collect/request/targets.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'

type Live = Pick<JudgedSubject, 'subject' | 'verdict' | 'evidence'>

/** The recorded verdict, for comparing it with the live one. */
export type RecordedVerdict = {
  readonly cause: string
  readonly confidence: number
  /** How many of the needed sources were seen. */
  readonly seen: number
}

type Stored = Pick<Death, 'uid' | 'namespace' | 'pod' | 'runner' | 'job' | 'cause' | 'confidence' | 'blind'>

/**
 * Whether the record may be better than the live answer: same pod, and it is gone or less is known about it now; or its
 * name belongs to a new pod.
 */
export function mayUseRecord(live: readonly Live[], stored: Stored): boolean {
  const [only, ...more] = live
  if (only === undefined || more.length > 0) return false
  if (isRecreated(only, stored)) return true
  if (!isSame(only, stored)) return false
  return isGone(only) || recordKnowsMore(only, rowToRecordedVerdict(stored))
}

/** ARC recreates a runner under the name of the one that died. Whoever asks why it died means the recorded one. */
export function isRecreated({ subject: { uid }, evidence }: Live, stored: Pick<Death, 'uid' | 'namespace' | 'pod'>) {
  const { pod, hasSuccessor } = evidence
  if (uid === null || uid === stored.uid || pod === null || pod.lastSeenAt !== null || hasSuccessor) return false
  return pod.namespace === stored.namespace && pod.name === stored.pod && isLiving(pod)
}

function isLiving(pod: PodFacts): boolean {
  if (pod.phase === 'Succeeded' || pod.phase === 'Failed') return false
  const candidates = runnerCandidates(pod)
  return candidates.length === 0 || candidates.some(({ state }) => state.kind !== 'terminated')
}

/**
 * The higher confidence wins. With the same cause or confidence, the one that saw more sources wins. With the same
 * number of sources, the record wins for a pod that is gone.
 */
export function recordKnowsMore(live: Live, recorded: RecordedVerdict): boolean {
  const { cause, confidence } = live.verdict
  if (recorded.confidence > confidence) return true
  if (recorded.confidence < confidence && recorded.cause !== cause) return false
  const seen = countSeen(live.evidence)
  if (recorded.seen !== seen) return recorded.seen > seen
  return recorded.confidence === confidence && isGone(live)
}

/** From the stored evidence, judged by the current rules; otherwise from the row. */
export function toRecordedVerdict(death: Death, judged: Live | null): RecordedVerdict {
  if (judged === null) return rowToRecordedVerdict(death)
  const { cause, confidence } = judged.verdict
  return { cause, confidence, seen: countSeen(judged.evidence) }
}

function rowToRecordedVerdict({
  cause,
  confidence,
  blind,
}: Pick<Death, 'cause' | 'confidence' | 'blind'>): RecordedVerdict {
  const unseen = new Set(blind.map(({ source }) => source))
  return { cause, confidence, seen: QUESTIONED_SOURCES.filter((source) => !unseen.has(source)).length }
}

/** A pod list without the pod does not count as seen. */
function countSeen({ sources, pod }: Evidence): number {
  return QUESTIONED_SOURCES.filter(
    (source) => hasLooked(sources, source) && (source !== 'kubernetes/pods' || pod !== null),
  ).length
}

/** For a run the store returns one death, which may belong to another job or attempt. */
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
