import type { Fleet } from '#/core/fleet/fleet.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { isNeverRegistered } from './never-registered.ts'

/**
 * It has run, and GitHub lists it offline or not at all. Whether it has a job is another question. One that terminates is
 * none; if one that waits, crashes or never registered is deleted, ARC only creates another.
 */
export function isLeftOver(state: RunnerState, fleet: Fleet): boolean {
  const { runner, github, crashes } = state
  const isOffline = github.kind === 'absent' || (github.kind === 'listed' && !github.isOnline)
  if (!isOffline || !state.hasStartedEver || state.isDeleting || state.isCrashLooping) return false
  // ARC up to 0.11 gives up a runner after its failures and keeps it: that is a crash loop that has ended.
  const hasCrashed = runner.ready !== true && crashes.own >= fleet.thresholds.crashLoopFailures
  return !hasCrashed && !isNeverRegistered(state, fleet) && !isWaiting(state)
}

/** For an image, a node or a volume. */
function isWaiting({ runner, pod, imageTrouble }: RunnerState): boolean {
  return imageTrouble !== null || (pod?.phase === 'Pending' && runner.ready !== true)
}
