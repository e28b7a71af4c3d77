import type { GateOutcome } from './check-gates.ts'
import type { GateId } from './gate.ts'

/** `refused`: a gate says no. `blind`: none does, but one could not observe, and that refuses too. */
export type Decision = 'would-remove' | 'refused' | 'blind'

export type Decided = {
  readonly decision: Decision
  /** The first gate that refused, or, where none did, the first that was blind; null if all hold. */
  readonly decidedBy: GateId | null
  readonly gates: readonly GateOutcome[]
  /** Gates without an answer, because the act itself makes their proof. */
  readonly atAct: readonly GateId[]
}

/**
 * Before an act the steps in it have no proof and no refusal: they are left open and named, so that no gate is said to
 * hold without a proof. An act passes no open steps, and then they refuse like any other gate.
 */
export function decide(outcomes: readonly GateOutcome[], openSteps: ReadonlySet<GateId>): Decided {
  const isOpen = ({ gate, result }: GateOutcome): boolean =>
    openSteps.has(gate) && result.kind === 'blind' && result.reason.code === 'not-asked'
  const gates = outcomes.filter((outcome) => !isOpen(outcome))
  const refusing = gates.find(({ result }) => result.kind === 'refuses')
  const unseeing = gates.find(({ result }) => result.kind === 'blind')
  return {
    decision: refusing === undefined ? (unseeing === undefined ? 'would-remove' : 'blind') : 'refused',
    decidedBy: (refusing ?? unseeing)?.gate ?? null,
    gates,
    atAct: outcomes.filter(isOpen).map(({ gate }) => gate),
  }
}
