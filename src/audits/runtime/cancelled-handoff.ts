import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { describeGitHubStatus } from '#/core/fleet/github-status.ts'
import { quote } from '#/core/fleet/container-logs.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { findHandoff } from '#/core/fleet/traps/handoff.ts'
import type { Handoff } from '#/core/fleet/traps/handoff.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import { gatesFor } from './gates.ts'
import { runnerFinding } from './subject.ts'
import { verifyThenDelete } from './verify.ts'

export function cancelledHandoffs(view: RuntimeView): readonly Finding[] {
  return view.runners.flatMap((state) => {
    const handoff = findHandoff(state, view)
    return handoff === null ? [] : [toFinding(state, handoff, view)]
  })
}

function toFinding(state: RunnerState, { line, waiting, live, set }: Handoff, view: RuntimeView): Finding {
  const bound = set.set.maxRunners
  return runnerFinding(state, {
    class: 'cancelled-job-handoff',
    severity: 'warning',
    evidence: [
      `its log: ${quote(line.text)}`,
      `it has taken no job since then${line.at === null ? '' : ` (${printAge(line.at, view.fleet.now)})`}; ${describeGitHubStatus(state.github)}`,
      waiting === null ? 'waiting jobs: unknown' : `jobs waiting for its set: ${waiting.length}`,
      `runners of its set: ${live}, maxRunners is ${bound ?? 'unlimited'}`,
    ],
    hint: `check that the job that replaces the cancelled one still waits, and delete only this runner: ${verifyThenDelete(state, 'handoff')}`,
    gates: gatesFor(state, view, 'not-busy'),
    fields: { waitingJobs: waiting?.length ?? null, maxRunners: bound },
  })
}
