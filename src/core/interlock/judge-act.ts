import { describeReason } from '#/core/basics/observed.ts'
import type { GateProof } from '#/core/ledger/ledger-row.ts'
import type { GateSet } from './act.ts'
import type { CandidateSnapshot } from './candidate-snapshot.ts'
import { checkGates } from './check-gates.ts'
import type { GateOutcome } from './check-gates.ts'
import { decide } from './decide.ts'
import { describeResult } from './gate.ts'
import type { Gate, GateId, GateResult } from './gate.ts'
import type { Premise } from './premise.ts'

/** `proofs`: of each gate that had an answer, in the order of the gates. */
export type ActJudgement =
  | { readonly kind: 'permitted'; readonly proofs: readonly GateProof[] }
  | {
      readonly kind: 'refused'
      readonly decidedBy: GateId
      readonly why: string
      readonly proofs: readonly GateProof[]
    }

/** Not a gate here: it is decided in the transaction that begins the attempt, because a count from before could be used twice. */
const CAP: GateId = 'within-cap'
/** A candidate that its policy no longer proposes is not the one that was proposed. */
const PREMISE: GateId = 'identity'

export type ActTerms = {
  readonly act: GateSet
  readonly gates: readonly Gate[]
  /** The answer of the ledger; null before the attempt has begun. */
  readonly cap: GateProof | null
  /** Steps of the act that lie ahead. Empty right before the removal: then every gate must hold. */
  readonly open: ReadonlySet<GateId>
  readonly premise: Premise
}

export function judgeAct(
  snapshots: readonly CandidateSnapshot[],
  { act, gates, cap, open, premise }: ActTerms,
): ActJudgement {
  const own = gates.filter(({ id }) => id !== CAP)
  const { decidedBy, gates: outcomes } = decide(checkGates(snapshots, own, act), open)
  const now = snapshots.reduce((latest, one) => Math.max(latest, one.now), 0)
  const proofs = [...outcomes.map((outcome) => toProof(outcome, now)), ...(cap === null ? [] : [cap])]
  const ordered = inOrder(proofs, gates)
  const deciding = outcomes.find(({ gate }) => gate === decidedBy)
  if (deciding !== undefined) {
    return { kind: 'refused', decidedBy: deciding.gate, why: describeResult(deciding.result), proofs: ordered }
  }
  // After the gates: that it has a job says more than that it is not wanted any more.
  const other = premiseProof(premise)
  if (other !== null) {
    const withPremise = ordered.map((proof) => (proof.gate === PREMISE ? other : proof))
    return { kind: 'refused', decidedBy: PREMISE, why: other.why, proofs: withPremise }
  }
  if (cap !== null && cap.holds !== true) return { kind: 'refused', decidedBy: CAP, why: cap.why, proofs: ordered }
  return { kind: 'permitted', proofs: ordered }
}

function premiseProof(premise: Premise): GateProof | null {
  switch (premise.kind) {
    case 'stands':
      return null
    case 'changed':
      return { gate: PREMISE, holds: false, why: premise.why, ageSeconds: 0 }
    case 'blind':
      return { gate: PREMISE, holds: null, why: describeReason(premise.reason), ageSeconds: 0 }
  }
}

const HOLDS: Readonly<Record<GateResult['kind'], boolean | null>> = { holds: true, refuses: false, blind: null }

export function toProof({ gate, result }: GateOutcome, now: number): GateProof {
  const ageSeconds = Math.max(0, Math.floor((now - result.at) / 1000))
  return { gate, holds: HOLDS[result.kind], why: describeResult(result), ageSeconds }
}

function inOrder(proofs: readonly GateProof[], gates: readonly Gate[]): readonly GateProof[] {
  return gates.flatMap(({ id }) => proofs.find(({ gate }) => gate === id) ?? [])
}

/** What became of the object that was proposed. */
export type Presence = 'there' | 'leaving' | 'gone' | 'unknown'

export function findPresence({ object, proposed }: CandidateSnapshot): Presence {
  const { observed } = object
  if (observed.kind === 'blind') return 'unknown'
  if (observed.kind === 'none') return 'gone'
  const { uid, isDeleting } = observed.value
  if (uid === null || proposed.uid === null) return 'unknown'
  // Kubernetes never uses a UID again: another one of the name means that the proposed one is gone.
  if (uid !== proposed.uid) return 'gone'
  return isDeleting ? 'leaving' : 'there'
}
