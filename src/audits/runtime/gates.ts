import type { GateAnswer } from '#/core/audit/finding.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import type { GateTerms } from '#/core/interlock/candidate-snapshot.ts'
import { checkGates } from '#/core/interlock/check-gates.ts'
import { describeResult } from '#/core/interlock/gate.ts'
import { candidateReader } from '#/core/interlock/read-candidate.ts'
import { GATES } from '#/gates/index.ts'

/**
 * What a snapshot shows of the gates before a runner's removal. An unknown gate does not hold: an act reads
 * again and checks all gates again.
 */
export function gatesFor(state: RunnerState, view: RuntimeView, github: GateTerms['github']): readonly GateAnswer[] {
  return gatesForAll([state], view, github)
}

/** For an act on several runners a gate holds only if it holds for each. */
export function gatesForAll(
  states: readonly RunnerState[],
  view: RuntimeView,
  github: GateTerms['github'],
): readonly GateAnswer[] {
  if (states.length === 0) return []
  const read = candidateReader(view)
  const { cleanupAge, githubFileAge } = view.fleet.thresholds
  const candidates = states.map((state) => read(state, { github, minAgeMs: cleanupAge, freshMs: githubFileAge }))
  return checkGates(candidates, GATES, 'delete-ephemeral-runner').map(({ gate, result }) => ({
    gate,
    holds: result.kind === 'holds',
    why: describeResult(result),
  }))
}
