import type { GateProof, LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { Ending } from '#/core/ledger/attempt.ts'
import { describeChange, isSameCap, parseChange, readCap } from './cap.ts'
import type { Cap, CapChange } from './cap.ts'
import { readNote } from './cap-note.ts'
import { judgeChange } from './judge-change.ts'
import type { LaneFacts } from './judge-change.ts'
import { CHANGE_PROOF, findKeptChange } from './kept-change.ts'
import { planChange, UNCHANGED_GATE } from './plan-change.ts'
import type { LaneOrder, LanePlan } from './plan-change.ts'

/** `proofs`: of every gate that was looked at, and the change itself with its old and new values. */
export type LaneDecision = { readonly plan: LanePlan; readonly proofs: readonly GateProof[] }

/** `rows`: of `set-cap` on this set, the latest first. */
export function decideChange(order: LaneOrder, facts: LaneFacts, rows: readonly LedgerRow[]): LaneDecision {
  const { raw } = facts.set
  const plan = planChange(order, {
    cap: readCap(raw),
    notes: { quiesced: readNote(raw, 'quiesced'), cap: readNote(raw, 'cap') },
    kept: { quiesced: findKeptChange(rows, 'quiesced'), cap: findKeptChange(rows, 'cap') },
  })
  if (plan.kind === 'nothing') return { plan, proofs: [] }
  if (plan.kind === 'refused') {
    return { plan, proofs: [{ gate: plan.decidedBy, holds: false, why: plan.why, ageSeconds: 0 }] }
  }
  // A note alone changes nothing for ARC.
  const gates = isSameCap(plan.before, plan.after) ? [] : judgeChange(facts)
  const change = { gate: CHANGE_PROOF, holds: true, why: describeChange(plan), ageSeconds: 0 }
  const failing = gates.find(({ holds }) => holds !== true)
  if (failing === undefined) return { plan, proofs: [...gates, change] }
  const { gate, why } = failing
  const refused = { kind: 'refused', decidedBy: gate, isBlind: failing.holds === null, why } as const
  return { plan: { ...refused, next: ADVICE[gate] ?? 'see docs/lanes.md' }, proofs: gates }
}

const ADVICE: Readonly<Record<string, string | undefined>> = {
  'no-rollover':
    'wait until it is ready: signalbox preflight SET --wait 10m; a wedge is freed by signalbox reap --policy wedge',
  'update-strategy':
    "set the value flags.updateStrategy of the controller's chart to immediate, or try again when the set has no runners",
}

/** Whether it is still what a person was shown and agreed to. */
export function compareShown(plan: LanePlan, shown: CapChange): LanePlan {
  if (plan.kind === 'refused') return plan
  const isSame = plan.kind === 'change' && isSameCap(plan.before, shown.before) && isSameCap(plan.after, shown.after)
  if (isSame) return plan
  return {
    kind: 'refused',
    decidedBy: UNCHANGED_GATE,
    isBlind: false,
    why: `it changed meanwhile: ${describeChange(shown)} does not fit any more`,
    next: 'look again, and run the command once more',
  }
}

/** How an attempt ended that a crash left open, by what the set has now. */
export function concludeLeft(row: Pick<LedgerRow, 'gates' | 'steps'>, now: Cap): Ending {
  const proof = row.gates.find(({ gate }) => gate === CHANGE_PROOF)
  const change = proof === undefined ? null : parseChange(proof.why)
  const wasPatching = row.steps.some(({ step }) => step === 'patching')
  if (change !== null && wasPatching && isSameCap(now, change.after)) {
    return { outcome: 'done', decidedBy: null, why: 'its run ended early, and the set has the new value' }
  }
  return { outcome: 'failed', decidedBy: null, why: 'its run ended early, and the set does not have the new value' }
}
