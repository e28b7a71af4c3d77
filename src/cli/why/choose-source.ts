import type { Death } from '#/core/capture/death.ts'
import type { Investigation } from '#/runtime/why/investigate.ts'

type Live = Pick<Investigation, 'subject' | 'verdict' | 'evidence'>

/** Whether what is live leaves room for what was recorded: it is about the same pod, and that is gone, or judged with less. */
export function leavesRoom(live: readonly Live[], stored: Pick<Death, 'uid' | 'confidence'>): boolean {
  const [only, ...more] = live
  if (only === undefined || more.length > 0) return false
  if (!isSame(only, stored.uid)) return false
  return isGone(only) || stored.confidence > only.verdict.confidence
}

/** Of a pod that is gone what was recorded is believed, unless somebody brought better evidence since. */
export function knowsMore(live: Live, recorded: number): boolean {
  return isGone(live) ? recorded >= live.verdict.confidence : recorded > live.verdict.confidence
}

function isSame({ subject }: Live, uid: string): boolean {
  return subject.uid === null || subject.uid === uid
}

function isGone({ evidence: { pod, hasSuccessor } }: Live): boolean {
  return pod === null || pod.lastSeenAt !== null || hasSuccessor
}
