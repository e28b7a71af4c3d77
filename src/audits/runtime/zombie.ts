import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { describeGitHubStatus } from '#/core/fleet/github-status.ts'
import { gatesFor } from './gates.ts'
import { runnerFinding } from './subject.ts'
import { verifyThenDelete } from './verify.ts'
import { findConflict } from '#/core/fleet/traps/zombie.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'

/** An earlier pod used its JIT configuration: it looks ready but cannot get a session. */
export function zombies(view: RuntimeView): readonly Finding[] {
  const { fleet } = view
  return view.runners.flatMap((state) => {
    const why = findConflict(state, fleet)
    if (why === null) return []
    const { runner, pod, hasJob } = state
    const remove = verifyThenDelete(state, 'zombie')
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
