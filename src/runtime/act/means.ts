import type { Gate } from '#/core/interlock/gate.ts'
import type { LedgerCap } from '#/core/ledger/cap.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { ObserveCandidate, StoreEvidence } from '#/ports/act-candidate.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHubActs } from '#/ports/github-acts.ts'
import type { KubernetesActs } from '#/ports/kubernetes-acts.ts'
import type { Ledger } from '#/ports/store/ledger.ts'

export type ActMeans = {
  readonly ledger: Ledger
  readonly observe: ObserveCandidate
  readonly storeEvidence: StoreEvidence
  readonly kubernetes: KubernetesActs
  readonly github: GitHubActs
  readonly gates: readonly Gate[]
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** On whose behalf, and within which bounds. */
export type ActWarrant = {
  readonly actor: string
  /** One run of a command, or one round of a loop. */
  readonly run: string
  /** Of the leader; null for a command. */
  readonly epoch: number | null
  readonly cap: LedgerCap
  /** An attempt whose last step is older than this has no owner any more. */
  readonly abandonedAfterMs: number
}

export type ActResult =
  | { readonly kind: 'ended'; readonly row: LedgerRow }
  /** Somebody else has it under way, or did it: it is theirs. */
  | { readonly kind: 'taken'; readonly row: LedgerRow | null }
  /** Another leader has the lease: nothing may be done any more. */
  | { readonly kind: 'fenced'; readonly epoch: number | null }
