import type { Happening } from '#/core/dispatch/assignment.ts'
import type { Runner } from '#/core/dispatch/runner.ts'
import type { LedgerAct } from '#/core/ledger/acts.ts'
import type { GateProof, LedgerSubject } from '#/core/ledger/ledger-row.ts'

/** In the order of docs/contracts/acting.md, as far as they are built. */
export const LOOP_IDS = [
  'stale-claims',
  'unregistered-runners',
  'missing-pods',
  'stale-queue',
  'idle-registrations',
  'dead-runners',
] as const
export type LoopId = (typeof LOOP_IDS)[number]

/** A loop decides about one candidate at a time, on what was seen of it and nothing else. */
export type RecoveryLoop<Candidate> = {
  readonly id: LoopId
  readonly decide: (candidate: Candidate, now: number) => Recovery
}

export type RecoveryAction =
  /** The happening carries the generation and the pod on which the decision rests: about anything else it changes nothing. */
  { readonly kind: 'record'; readonly happening: Happening } | { readonly kind: 'deregister'; readonly runner: Runner }

/** What a loop decided about one candidate. */
export type Recovery = {
  readonly loop: LoopId
  /** With a row of the ledger; null where it only writes down what GitHub or the cluster reported. */
  readonly act: LedgerAct | null
  readonly subject: LedgerSubject
  /** Since when it is stuck; for the time that it was stranded. */
  readonly since: number
  /** In their order. An action requires that all of them hold. */
  readonly checks: readonly GateProof[]
  /** Null: nothing is to be done now. */
  readonly action: RecoveryAction | null
  /** A registration that the action leaves without a use: GitHub is asked to remove it afterwards, and may refuse. */
  readonly leavesBehind: Runner | null
}

export type RecoveryDecision = 'would-remove' | 'refused' | 'blind'

/** As in `reap`: the first check that does not hold decides. */
export function decideRecovery({ checks, action }: Recovery): {
  readonly decision: RecoveryDecision
  readonly decidedBy: string | null
} {
  const failed = checks.find(({ holds }) => holds !== true)
  if (action !== null && failed === undefined) return { decision: 'would-remove', decidedBy: null }
  return { decision: failed?.holds === null ? 'blind' : 'refused', decidedBy: failed?.gate ?? null }
}

type Proof = { readonly why: string; readonly at: number }

/** The checks of one candidate, in their order. */
export function check(gate: string, holds: boolean | null, { why, at }: Proof, now: number): GateProof {
  return { gate, holds, why, ageSeconds: Math.max(0, Math.floor((now - at) / 1000)) }
}

export function jobSubject({ id, repository }: { readonly id: number; readonly repository: string }): LedgerSubject {
  return { kind: 'Job', namespace: repository, name: String(id), uid: null }
}

export function slotSubject(slot: {
  readonly uid: string
  readonly namespace: string
  readonly pod: string
}): LedgerSubject {
  return { kind: 'Pod', namespace: slot.namespace, name: slot.pod, uid: slot.uid }
}
