import type { LedgerAct, LedgerOutcome } from './acts.ts'

/** What an act is about, as in a finding. The UID distinguishes it from a later one of the same name. */
export type LedgerSubject = {
  readonly kind: string
  readonly namespace: string | null
  readonly name: string
  readonly uid: string | null
}

/** `holds` null: the gate was blind, and a blind gate refuses. */
export type GateProof = {
  readonly gate: string
  readonly holds: boolean | null
  readonly why: string
  readonly ageSeconds: number
}

/** Which code path asked for the act. */
export type LedgerOrigin = { readonly policy: string } | { readonly loop: string } | { readonly command: string }

export type LedgerStep = {
  readonly step: string
  readonly at: number
  /** Who took the step: after a crash another one may finish or close the attempt. */
  readonly actor: string
  readonly epoch: number | null
}

/** One attempt. */
export type LedgerRow = LedgerOrigin & LedgerFields

export type LedgerFields = {
  readonly id: number
  /** When it began. */
  readonly at: number
  readonly act: LedgerAct
  readonly subject: LedgerSubject
  readonly actor: string
  readonly outcome: LedgerOutcome
  /** The gate that refused. */
  readonly decidedBy: string | null
  readonly gates: readonly GateProof[]
  /** The id of the death that was recorded before the act. */
  readonly evidence: string | null
  /** Of the leader that began it; null outside of a leader. */
  readonly epoch: number | null
  /** How the end is explained to a person. */
  readonly why: string | null
  readonly endedAt: number | null
  /** One run of a command, or one round of a loop. */
  readonly run: string
  /** NAMESPACE/NAME of the scale set. */
  readonly scaleSet: string | null
  /** How many runners the act removes: its share of the cap. */
  readonly places: number
  /** How far it got, in order. The last one of an attempt that ended is its outcome. */
  readonly steps: readonly LedgerStep[]
}

/** What keeps two from acting on the same thing at once. */
export function subjectKey({ kind, namespace, name, uid }: LedgerSubject): string {
  return uid ?? `${kind}/${namespace ?? ''}/${name}`
}
