import { textAt } from '#/core/basics/fields.ts'
import type { ContainerFacts, PodFacts } from '#/core/kubernetes/pod-facts.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'

/** Whether a runner pod has ended. `deleting` is not the end: with a long grace period the job may finish. */
export type Life =
  | { readonly kind: 'living' }
  | { readonly kind: 'deleting'; readonly overdueAt: number }
  | { readonly kind: 'ended'; readonly diedAt: number }

/** After the grace period the kubelet needs a moment; a pod that exists longer is stuck. */
const AFTER_GRACE_MS = 30_000

export function readLife(object: unknown, pod: PodFacts, now: number): Life {
  if (pod.phase === 'Succeeded' || pod.phase === 'Failed') return { kind: 'ended', diedAt: timeOfDeath(pod, now) }
  if (hasRunnerEnded(object, pod)) return { kind: 'ended', diedAt: timeOfDeath(pod, now) }
  if (pod.deletedAt === null) return { kind: 'living' }
  // The deletion timestamp is the end of the grace period.
  const overdueAt = pod.deletedAt + AFTER_GRACE_MS
  return now >= overdueAt ? { kind: 'ended', diedAt: timeOfDeath(pod, now) } : { kind: 'deleting', overdueAt }
}

/** A sidecar can keep the pod `Running` after its runner has ended: every container that may be the runner must have ended. */
function hasRunnerEnded(object: unknown, pod: PodFacts): boolean {
  const policy = textAt(object, 'spec', 'restartPolicy')
  const candidates = runnerCandidates(pod)
  return candidates.length > 0 && candidates.every((container) => hasEndedForGood(container, policy))
}

function hasEndedForGood({ state }: ContainerFacts, policy: string | null): boolean {
  if (state.kind !== 'terminated') return false
  return policy === 'Never' || (policy === 'OnFailure' && state.exitCode === 0)
}

/** When the runner's container ended; without that time, when the end was seen. */
export function timeOfDeath(pod: PodFacts, seenAt: number): number {
  return Math.min(finishOfRunner(pod) ?? lastConditionAt(pod) ?? seenAt, seenAt)
}

/** Of several that may be the runner the last: by then it had ended. Null where one of them has not, or not said when. */
function finishOfRunner(pod: PodFacts): number | null {
  const ends = runnerCandidates(pod).map(({ state }) => (state.kind === 'terminated' ? state.finishedAt : null))
  const known = ends.filter((at) => at !== null)
  return known.length === 0 || known.length < ends.length ? null : Math.max(...known)
}

/** An evicted pod that never ran has no ended container, but a condition with a time. */
function lastConditionAt({ phase, conditions }: PodFacts): number | null {
  if (phase !== 'Failed' && phase !== 'Succeeded') return null
  const times = conditions.flatMap(({ since }) => since ?? [])
  return times.length === 0 ? null : times.reduce((latest, at) => Math.max(latest, at))
}

/** The time of a missed death: from the pod, from an event, or when it was found. */
export function timeOfMissedDeath(
  pod: PodFacts,
  { seenAt, foundAt, events }: { seenAt: number; foundAt: number; events: readonly { at: number; reason: string }[] },
): number {
  const finished = finishOfRunner(pod)
  if (finished !== null) return finished
  const ends = events.filter(({ at, reason }) => at >= seenAt && ENDING_EVENTS.has(reason))
  return ends.length === 0 ? foundAt : Math.min(foundAt, ...ends.map(({ at }) => at))
}

const ENDING_EVENTS: ReadonlySet<string> = new Set([
  'Killing',
  'Evicted',
  'Preempted',
  'Preempting',
  'DeadlineExceeded',
  'TaintManagerEviction',
  'OOMKilling',
])
