import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { isGone, describeGitHubStatus } from '#/core/fleet/github-status.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { gatesFor } from './gates.ts'
import { runnerFinding } from './subject.ts'
import { verifyThenDelete } from './verify.ts'
import { isLeftOver } from '#/core/fleet/traps/left-over.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'

/** It ran, has no job, and GitHub lists it offline or not at all. */
export function cleanupCandidates(view: RuntimeView): readonly Finding[] {
  const { fleet } = view
  return view.runners
    .filter((state) => isCandidate(state, fleet))
    .map((state) =>
      runnerFinding(state, {
        class: 'offline-no-job-cleanup-candidate',
        severity: 'warning',
        evidence: [
          describeGitHubStatus(state.github),
          `no job field is set${fleet.saw('github/queued-jobs') ? ' and no job in progress names it' : ''}`,
          `it is ${printAge(state.runner.createdAt, fleet.now)} old and its pod has run`,
        ],
        hint: verifyThenDelete(state, 'offline'),
        gates: gatesFor(state, view, 'gone'),
      }),
    )
}

function isCandidate(state: RunnerState, fleet: Fleet): boolean {
  const { createdAt } = state.runner
  const isOld = createdAt !== null && fleet.now - createdAt > fleet.thresholds.cleanupAge
  return isOld && !state.hasJob && isGone(state.github) && isLeftOver(state, fleet)
}
