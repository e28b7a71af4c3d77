import type { ActId, GateSet } from '#/core/interlock/act.ts'
import type { CandidateSnapshot, Identity } from '#/core/interlock/candidate-snapshot.ts'
import type { Premise } from '#/core/interlock/premise.ts'
import type { LedgerOrigin, LedgerSubject } from '#/core/ledger/ledger-row.ts'
import type { Blind } from '#/core/basics/observed.ts'
import type { Registration } from './github-place.ts'
import type { ActTarget } from './kubernetes-acts.ts'

/** What an act is asked for: one subject, and every runner that would go with it. */
export type ActCandidate = {
  readonly act: ActId
  /** What it must prove; by default what its act requires. */
  readonly gates?: GateSet
  readonly origin: LedgerOrigin
  readonly subject: LedgerSubject
  readonly scaleSet: string | null
  readonly runners: readonly ProposedRunner[]
}

export type ProposedRunner = {
  readonly namespace: string
  readonly name: string
  /** As it was when it was proposed. */
  readonly identity: Identity
}

/** Reads everything that the gates look at, now. It must not answer from a read that began before the call. */
export type ObserveCandidate = (candidate: ActCandidate, signal: AbortSignal) => Promise<CandidateNow>

export type CandidateNow = {
  /** One for each runner of the candidate, in its order. */
  readonly runners: readonly RunnerNow[]
  /** Whether whoever proposed it would propose it now. */
  readonly premise: Premise
  /** The EphemeralRunnerSets to be scaled. Blind: at least one of them could not be read. */
  readonly scales: readonly ActTarget[] | Blind
}

export type RunnerNow = {
  readonly snapshot: CandidateSnapshot
  /** The object with its UID and version; null if it is gone or could not be read. */
  readonly target: ActTarget | null
  /** Where it is registered; null if that is not known. */
  readonly registration: Registration | null
}

/** Stores what can no longer be read after the act. It is durable when the promise resolves. The same attempt stores once. */
export type StoreEvidence = (
  attempt: { readonly id: number; readonly candidate: ActCandidate; readonly now: CandidateNow },
  signal: AbortSignal,
) => Promise<{ readonly kind: 'stored'; readonly id: string } | Blind>

/** The same for a pod that is no runner. */
export type StorePodEvidence = (
  attempt: { readonly id: number; readonly pod: { readonly namespace: string; readonly name: string } },
  signal: AbortSignal,
) => ReturnType<StoreEvidence>
