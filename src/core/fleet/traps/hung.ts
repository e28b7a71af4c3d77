import type { Fleet } from '#/core/fleet/fleet.ts'
import type { FleetJob } from '#/core/fleet/github-facts.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'

/** A runner executes one job: after that it should end. The job that GitHub completed long ago while it still runs; else null. */
export function findFinishedJob(state: RunnerState, fleet: Fleet): FleetJob | null {
  const { runner, isDeleting } = state
  const job = runner.namedBy
  if (job?.status !== 'completed' || job.completedAt === null || runner.githubJob !== null) return null
  const isLate = fleet.now - job.completedAt >= fleet.thresholds.hungAfterCompletion
  return isLate && !isDeleting && isUp(state, fleet) ? job : null
}

function isUp({ runner, pod }: RunnerState, fleet: Fleet): boolean {
  if (pod === null) return runner.ready === true && !fleet.saw('kubernetes/pods')
  return !hasEnded(pod)
}
