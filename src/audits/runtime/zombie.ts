import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { describeGitHubStatus } from '#/core/fleet/github-status.ts'
import type { GitHubStatus } from '#/core/fleet/github-status.ts'
import { quote } from '#/core/fleet/container-logs.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { gatesFor } from './gates.ts'
import { runnerFinding } from './subject.ts'
import { verifyThenDelete } from './verify.ts'
import type { RuntimeView } from './view.ts'

/** An earlier pod used its JIT configuration: it looks ready but cannot get a session. */
export function zombies(view: RuntimeView): readonly Finding[] {
  const { fleet } = view
  return view.runners.flatMap((state) => {
    const why = findConflict(state, fleet)
    if (why === null) return []
    const { runner, pod, hasJob } = state
    const remove = verifyThenDelete(state)
    return [
      runnerFinding(state, {
        class: 'zombie-session-conflict',
        severity: 'warning',
        evidence: [
          why,
          `the EphemeralRunner is ${printAge(runner.createdAt, fleet.now)} old, its pod ${printAge(pod?.createdAt ?? null, fleet.now)}`,
          describeGitHubStatus(state.github),
        ],
        hint: hasJob ? `its job ran in an earlier pod and cannot resume: cancel the run at GitHub, ${remove}` : remove,
        gates: gatesFor(state, view, 'gone'),
      }),
    ]
  })
}

function findConflict(state: RunnerState, fleet: Fleet): string | null {
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
