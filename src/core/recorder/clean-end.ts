import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { knownRunnerContainer } from '#/core/kubernetes/runner-container.ts'
import type { Judgement } from '#/core/why/verdict.ts'

/** Whether the log should be read at once: a pod that ended like this may have ended well. */
export function mayBeClean(pod: PodFacts): boolean {
  const runner = knownRunnerContainer(pod)
  if (pod.phase === 'Failed' || runner?.state.kind !== 'terminated' || runner.state.exitCode !== 0) return false
  return runner.restarts === 0 && !wasDeletedBefore(pod, runner.state.finishedAt)
}

/** Someone deleted it while it ran; the timestamp is the end of the grace period. */
function wasDeletedBefore({ deletedAt, graceSeconds }: PodFacts, finishedAt: number | null): boolean {
  if (deletedAt === null) return false
  return finishedAt === null || deletedAt - (graceSeconds ?? 0) * 1000 < finishedAt
}

export type CleanEnd = {
  readonly cause: string
  readonly confidence: number
  /** Null: the rules named the cause themselves, with their own sentence. */
  readonly sentence: string | null
}

const PROVEN = 0.9
const COMPLETED = 'completed-normally'
/** The log (0.65) and the exit code (0.4) as the rules weigh them; only GitHub's conclusion makes it more. */
const OWN_WORD = 0.79
/** With one of these, exit code 0 is not the runner's own. */
const SUSPICIOUS: ReadonlySet<string> = new Set([
  'runner-process-killed',
  'lost-communication',
  'worker-crashed',
  'completion-not-delivered',
  'runner-stop-requested',
  'oom-kill',
])

/**
 * The pod and its log alone prove a clean end. The rules name `completed-normally` only with GitHub's conclusion, and a
 * clean end must not cost an API call: so here the runner's own log line counts, with the weight it has in the rules.
 */
export function cleanEnd(
  { verdict, alternatives }: Judgement,
  { pod, clues }: Pick<Evidence, 'pod' | 'clues'>,
): CleanEnd | null {
  if (verdict.kind === 'not-a-death' && verdict.confidence >= PROVEN) {
    return { cause: verdict.cause, confidence: verdict.confidence, sentence: null }
  }
  const isBestGuess = verdict.cause === 'unknown' && alternatives[0]?.cause === COMPLETED
  if (pod === null || !isBestGuess || !mayBeClean(pod)) return null
  const own = clues.filter(({ about }) => about === 'subject')
  if (own.some(({ is }) => SUSPICIOUS.has(is))) return null
  const result = own.findLast(({ is, fields }) => is === 'job-result' && fields['result'] !== undefined)
  if (result === undefined || !(result.fields['result'] ?? '').startsWith('Succeeded')) return null
  return {
    cause: COMPLETED,
    confidence: OWN_WORD,
    sentence: `The runner ${pod.name} says that its job succeeded, and left with exit code 0; GitHub was not asked.`,
  }
}
