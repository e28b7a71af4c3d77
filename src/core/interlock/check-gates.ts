import { ACT_GATES } from './act.ts'
import type { GateSet } from './act.ts'
import type { CandidateSnapshot } from './candidate-snapshot.ts'
import { describeResult } from './gate.ts'
import type { Gate, GateId, GateResult } from './gate.ts'

export type GateOutcome = { readonly gate: GateId; readonly result: GateResult }

/** Checks the gates that the act requires, in their order. For an act on several runners a gate holds only if it holds for each. */
export function checkGates(
  candidates: readonly CandidateSnapshot[],
  gates: readonly Gate[],
  act: GateSet,
): readonly GateOutcome[] {
  const required: ReadonlySet<GateId> = new Set(ACT_GATES[act])
  return gates
    .filter(({ id }) => required.has(id))
    .map((gate) => ({ gate: gate.id, result: checkAll(candidates, gate) }))
}

function checkAll(candidates: readonly CandidateSnapshot[], gate: Gate): GateResult {
  const [first, ...others] = candidates.map((candidate) => ({ candidate, result: gate.check(candidate) }))
  if (first === undefined) return { kind: 'refuses', reason: 'there is nothing to remove', at: 0 }
  if (others.length === 0) return first.result
  const all = [first, ...others]
  const worst = all.find(({ result }) => result.kind === 'refuses') ?? all.find(({ result }) => result.kind === 'blind')
  if (worst !== undefined) return named(worst.candidate.subject.name, worst.result)
  return {
    kind: 'holds',
    proof: `for all ${all.length}; for ${first.candidate.subject.name}: ${describeResult(first.result)}`,
    at: all.reduce((oldest, { result }) => Math.min(oldest, result.at), first.result.at),
  }
}

function named(name: string, result: GateResult): GateResult {
  switch (result.kind) {
    case 'refuses':
      return { ...result, reason: `${name}: ${result.reason}` }
    case 'blind':
      return { ...result, reason: { ...result.reason, detail: `${name}: ${result.reason.detail}` } }
    case 'holds':
      return result
  }
}
