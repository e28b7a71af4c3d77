import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { isGone, describeGitHubStatus } from '#/core/fleet/github-status.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { gatesFor } from './gates.ts'
import { isNeverRegistered } from './never-registered.ts'
import { runnerFinding } from './subject.ts'
import { verifyThenDelete } from './verify.ts'
import type { RuntimeView } from './view.ts'

/** It ran, has no job, and GitHub lists it offline or not at all. */
export function cleanupCandidates(view: RuntimeView): readonly Finding[] {
  const { fleet } = view
  return view.runners
    .filter((state) => isLeftOver(state, fleet) && !isExcluded(state, fleet))
    .map((state) =>
      runnerFinding(state, {
        class: 'offline-no-job-cleanup-candidate',
        severity: 'warning',
        evidence: [
          describeGitHubStatus(state.github),
          `no job field is set${fleet.saw('github/queued-jobs') ? ' and no job in progress names it' : ''}`,
          `it is ${printAge(state.runner.createdAt, fleet.now)} old and its pod has run`,
        ],
        hint: verifyThenDelete(state),
        gates: gatesFor(state, view, 'gone'),
      }),
    )
}

function isLeftOver({ runner, github, hasStartedEver }: RunnerState, { now, thresholds }: Fleet): boolean {
  const isOld = runner.createdAt !== null && now - runner.createdAt > thresholds.cleanupAge
  return isOld && hasStartedEver && isGone(github)
}

/** It has a job, is terminating, or has another finding; if one that waits or crashes is deleted, ARC only creates another. */
function isExcluded(state: RunnerState, fleet: Fleet): boolean {
  const { runner, crashes } = state
  // ARC up to 0.11 gives up a runner after its failures and keeps it: that is a crash loop that has ended.
  const hasCrashed = runner.ready !== true && crashes.own >= fleet.thresholds.crashLoopFailures
  if (state.hasJob || state.isDeleting || state.isCrashLooping || hasCrashed) return true
  return isNeverRegistered(state, fleet) || isWaiting(state)
}

/** For an image, a node or a volume. */
function isWaiting({ runner, pod, imageTrouble }: RunnerState): boolean {
  return imageTrouble !== null || (pod?.phase === 'Pending' && runner.ready !== true)
}
