import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'

/**
 * Should have started by now, and nothing of its runner ever ran. That alone is no failure: a large image takes its time.
 * What keeps it is for the rules of `why` to say, and without a cause that they name nothing is recorded.
 */
export function isOverdue(pod: PodFacts, startWithinMs: number, now: number): boolean {
  if (pod.phase !== 'Pending' || pod.deletedAt !== null || isHeldBack(pod)) return false
  if (pod.createdAt === null || now - pod.createdAt < startWithinMs) return false
  return runnerCandidates(pod).every(
    ({ restarts, state, last }) => restarts === 0 && !hasRun(state.kind) && !hasRun(last.kind),
  )
}

function hasRun(kind: string): boolean {
  return kind === 'running' || kind === 'terminated'
}

/** Somebody has not given it to the scheduler yet, on purpose. */
function isHeldBack({ conditions }: PodFacts): boolean {
  return conditions.some(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'SchedulingGated',
  )
}
