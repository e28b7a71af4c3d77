import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { describeGitHubStatus } from '#/core/fleet/github-status.ts'
import { findFinishedJob } from '#/core/fleet/traps/hung.ts'
import { gatesFor } from './gates.ts'
import { runnerFinding } from './subject.ts'
import { verifyThenDelete } from './verify.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'

export function hungRunners(view: RuntimeView): readonly Finding[] {
  const { now } = view.fleet
  return view.runners.flatMap((state) => {
    const job = findFinishedJob(state, view.fleet)
    if (job === null) return []
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
        hint: `signalbox collect ${runner.namespace}/${runner.name} keeps the evidence; ${verifyThenDelete(state, 'hung')}`,
        gates: gatesFor(state, view, 'not-busy'),
        fields: { secondsSinceCompletion: Math.floor((now - (job.completedAt ?? now)) / 1000) },
      }),
    ]
  })
}
