import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { FleetJob } from '#/core/fleet/github-facts.ts'
import { describeGitHubStatus } from '#/core/fleet/github-status.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { gatesFor } from './gates.ts'
import { runnerFinding } from './subject.ts'
import { verifyThenDelete } from './verify.ts'
import type { RuntimeView } from './view.ts'

/** A runner executes one job: after that it should end. */
export function hungRunners(view: RuntimeView): readonly Finding[] {
  const { now } = view.fleet
  return view.runners.flatMap((state) => {
    const job = finishedJob(state, view.fleet)
    if (job === null || state.isDeleting || !isUp(state, view.fleet)) return []
    const { runner, pod } = state
    return [
      runnerFinding(state, {
        class: 'hung-after-completion',
        severity: 'warning',
        evidence: [
          `GitHub's job ${job.id ?? ''} on it was completed (${job.conclusion ?? 'no conclusion'}) ${printAge(job.completedAt, now)} ago`,
          `its pod is ${pod?.phase ?? 'unknown'}`,
          describeGitHubStatus(state.github),
        ],
        hint: `signalbox collect ${runner.namespace}/${runner.name} keeps the evidence; ${verifyThenDelete(state)}`,
        gates: gatesFor(state, view, 'not-busy'),
        fields: { secondsSinceCompletion: Math.floor((now - (job.completedAt ?? now)) / 1000) },
      }),
    ]
  })
}

/** The job that GitHub completed long enough ago, if no other names the runner. */
function finishedJob({ runner }: RunnerState, { now, thresholds }: Fleet): FleetJob | null {
  const job = runner.namedBy
  if (job?.status !== 'completed' || job.completedAt === null || runner.githubJob !== null) return null
  return now - job.completedAt >= thresholds.hungAfterCompletion ? job : null
}

function isUp({ runner, pod }: RunnerState, fleet: Fleet): boolean {
  if (pod === null) return runner.ready === true && !fleet.saw('kubernetes/pods')
  return !hasEnded(pod)
}
