import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'

/**
 * It should have started by now, and its runner never ran. That alone is no failure: a large image takes long to pull. The
 * rules of `why` decide what keeps it, and without a cause nothing is recorded.
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

/** A scheduling gate holds it back on purpose. */
function isHeldBack({ conditions }: PodFacts): boolean {
  return conditions.some(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'SchedulingGated',
  )
}
