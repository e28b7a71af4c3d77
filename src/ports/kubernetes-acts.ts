import type { BlindReason } from '#/core/basics/observed.ts'
import type { Cap } from '#/core/lane/cap.ts'

/**
 * What removes something from a cluster. Only src/runtime/act may use it (lint): the gates, the evidence and the ledger are
 * there. Each request says which object is meant, and at which version it was proved: the server checks both.
 */
export type KubernetesActs = {
  readonly remove: (target: ActTarget, signal: AbortSignal) => Promise<RemovalOutcome>
  /** Sets the replicas of an EphemeralRunnerSet to 0. */
  readonly scaleToZero: (target: ActTarget, signal: AbortSignal) => Promise<RemovalOutcome>
}

/** What lets go of a pod that is being deleted. As above: only src/runtime/act may use it. */
export type FinalizerActs = {
  readonly strip: (order: FinalizerOrder, signal: AbortSignal) => Promise<RemovalOutcome>
}

export type FinalizerOrder = {
  readonly pod: ActTarget
  /** All of them at that version. */
  readonly finalizers: readonly string[]
  readonly finalizer: string
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

/**
 * What changes the bounds of a scale set, a copy of a pull secret, or a listener that cannot start. As above: only
 * src/runtime/act may use it.
 */
export type LaneActs = {
  /** Sets the bounds and the note about them in one request; null removes a field or the note. */
  readonly setCap: (target: ObjectVersion, change: CapPatch, signal: AbortSignal) => Promise<RemovalOutcome>
  /** Deletes the pod of a listener: ARC makes a new one. */
  readonly recreateListener: (pod: ObjectVersion, signal: AbortSignal) => Promise<RemovalOutcome>
  /** Server-side apply. No outcome carries a value of the Secret. */
  readonly applySecret: (order: SecretOrder, signal: AbortSignal) => Promise<SecretOutcome>
}

export type ObjectVersion = Omit<ActTarget, 'kind'>

export type CapPatch = {
  readonly cap: Cap
  readonly annotation: { readonly key: string; readonly value: string | null }
}

export type SecretOrder = {
  readonly namespace: string
  readonly name: string
  readonly type: string
  /** One key and its value, in base64. */
  readonly data: Readonly<Record<string, string>>
  /** The copy that was compared; null if there was none. */
  readonly existing: { readonly uid: string; readonly resourceVersion: string } | null
  /** Take fields over from another field manager. */
  readonly force: boolean
}

export type SecretOutcome =
  | RemovalOutcome
  /** Another field manager has set the same fields. */
  | { readonly kind: 'owned'; readonly managers: readonly string[] }
