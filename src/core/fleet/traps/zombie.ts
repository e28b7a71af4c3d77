import { quote } from '#/core/fleet/container-logs.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { GitHubStatus } from '#/core/fleet/github-status.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'

/** How it shows that an earlier pod used its JIT configuration: it looks ready but cannot get a session. Null if it does not. */
export function findConflict(state: RunnerState, fleet: Fleet): string | null {
  const { runner, pod, log, isDeleting } = state
  if (pod === null || isDeleting || hasEnded(pod)) return null
  if (log.conflict !== null) return `its log: ${quote(log.conflict.text)}`
  const isSecond = podLag(state) > fleet.thresholds.crashLoopLife || runner.failures.length > 0
  if (log.deregistered !== null && isSecond) return `its log: ${quote(log.deregistered.text)}`
  return !log.isRead && isSilentSuccessor(state, fleet) ? 'its pod was created after the one that had the job' : null
}

/** How much later its pod was created than the EphemeralRunner. */
function podLag({ runner, pod }: RunnerState): number {
  return (pod?.createdAt ?? 0) - (runner.createdAt ?? Infinity)
}

/** Without a log: a recorded job, a pod much younger than the EphemeralRunner, and GitHub lists the runner offline or not at all. */
function isSilentSuccessor(state: RunnerState, { now, thresholds }: Fleet): boolean {
  const { runner, github, startedAt } = state
  const hasSettled = startedAt !== null && now - startedAt > thresholds.justStarted
  return runner.job !== null && hasSettled && isSilent(github) && podLag(state) > thresholds.justStarted
}

function isSilent(status: GitHubStatus): boolean {
  return status.kind === 'absent' || (status.kind === 'listed' && !status.isOnline)
}
