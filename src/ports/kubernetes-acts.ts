import type { BlindReason } from '#/core/basics/observed.ts'

/**
 * What removes something from a cluster. Only src/runtime/act may use it (lint): the gates, the evidence and the ledger are
 * there. Each request says which object is meant, and at which version it was proved: the server checks both.
 */
export type KubernetesActs = {
  readonly remove: (target: ActTarget, signal: AbortSignal) => Promise<RemovalOutcome>
  /** Sets the replicas of an EphemeralRunnerSet to 0. */
  readonly scaleToZero: (target: ActTarget, signal: AbortSignal) => Promise<RemovalOutcome>
}

export type ActTarget = {
  readonly kind: 'EphemeralRunner' | 'EphemeralRunnerSet' | 'Pod'
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

export type RemovalOutcome =
  | { readonly kind: 'done' }
  /** It is another object or another version: what was proved is not true of it. */
  | { readonly kind: 'changed'; readonly message: string }
  | { readonly kind: 'gone' }
  /** Not permitted, or an admission policy declined it. */
  | { readonly kind: 'declined'; readonly message: string }
  | { readonly kind: 'blind'; readonly reason: BlindReason; readonly applied: 'no' | 'unknown' }
