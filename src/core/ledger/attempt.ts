import { isDoneOnce } from './acts.ts'
import type { End, LedgerAct, LedgerOutcome } from './acts.ts'
import { proveCap, withProof } from './cap.ts'
import type { LedgerCap, UsedPlaces } from './cap.ts'
import { boundGates, boundName, boundSubject, boundWhy } from './bounds.ts'
import { subjectKey } from './ledger-row.ts'
import type { GateProof, LedgerFields, LedgerOrigin, LedgerRow, LedgerStep, LedgerSubject } from './ledger-row.ts'

export type Attempt = LedgerOrigin & {
  readonly at: number
  readonly act: LedgerAct
  readonly subject: LedgerSubject
  readonly actor: string
  readonly gates: readonly GateProof[]
  readonly evidence: string | null
  readonly epoch: number | null
  readonly run: string
  readonly scaleSet: string | null
  readonly places: number
}

/** The proof of `within-cap` is added, or replaces the one that is given. */
export type NewAttempt = Attempt & { readonly cap: LedgerCap }

export type Ending =
  | { readonly outcome: 'refused'; readonly decidedBy: string; readonly why: string | null }
  | { readonly outcome: Exclude<End, 'refused'>; readonly decidedBy: null; readonly why: string | null }

export type EndedAttempt = Attempt & Ending

type Written = {
  readonly at: number
  readonly actor: string
  readonly epoch: number | null
  /** All of them; null: as before. */
  readonly gates: readonly GateProof[] | null
  /** Null: as before. The first one stays. */
  readonly evidence: string | null
}
export type AttemptStep = Written & { readonly step: string }
export type AttemptEnd = Written & Ending

/** Without the id, which the store gives. */
export type UnstoredRow = LedgerOrigin & Omit<LedgerFields, 'id'>

/** The row of an attempt that is not taken: planned, or refused by the cap. */
export function planAttempt({ cap, ...attempt }: NewAttempt, used: UsedPlaces): UnstoredRow {
  const proof = proveCap({ ...attempt, cap }, used)
  const planned = { ...attempt, gates: withProof(attempt.gates, proof) }
  if (proof.holds === true) return toRow(planned, { outcome: 'planned', decidedBy: null, why: null })
  return toRow(planned, { outcome: 'refused', decidedBy: proof.gate, why: proof.why })
}

export function endedRow(attempt: EndedAttempt): UnstoredRow {
  return toRow(attempt, attempt)
}

function toRow(attempt: Attempt, end: Pick<LedgerFields, 'outcome' | 'decidedBy' | 'why'>): UnstoredRow {
  const { at, act, epoch, places } = attempt
  const actor = boundName(attempt.actor)
  return {
    at,
    act,
    subject: boundSubject(attempt.subject),
    ...boundOrigin(attempt),
    actor,
    outcome: end.outcome,
    decidedBy: boundName(end.decidedBy),
    gates: boundGates(attempt.gates),
    evidence: boundName(attempt.evidence),
    epoch,
    why: boundWhy(end.why),
    endedAt: end.outcome === 'planned' ? null : at,
    run: boundName(attempt.run),
    scaleSet: boundName(attempt.scaleSet),
    places,
    steps: [{ step: end.outcome, at, actor, epoch }],
  }
}

function boundOrigin(origin: LedgerOrigin): LedgerOrigin {
  if ('policy' in origin) return { policy: boundName(origin.policy) }
  if ('loop' in origin) return { loop: boundName(origin.loop) }
  return { command: boundName(origin.command) }
}

/** What a step or an end changes in its row. */
export type Move = {
  readonly step: LedgerStep
  readonly gates: readonly GateProof[] | null
  readonly evidence: string | null
  readonly end: (Ending & { readonly endedAt: number }) | null
}

export function toMove(written: AttemptStep | AttemptEnd): Move {
  const { at, actor, epoch, gates, evidence } = written
  const step = 'step' in written ? boundName(written.step) : written.outcome
  return {
    step: { step, at, actor: boundName(actor), epoch },
    gates: gates === null ? null : boundGates(gates),
    evidence: boundName(evidence),
    end: 'step' in written ? null : { ...boundEnding(written), endedAt: at },
  }
}

function boundEnding({ outcome, decidedBy, why }: Ending): Ending {
  if (outcome !== 'refused') return { outcome, decidedBy: null, why: boundWhy(why) }
  return { outcome, decidedBy: boundName(decidedBy ?? ''), why: boundWhy(why) }
}

export function moveRow(row: LedgerRow, { step, gates, evidence, end }: Move): LedgerRow {
  return {
    ...row,
    gates: gates ?? row.gates,
    evidence: row.evidence ?? evidence,
    steps: [...row.steps, step],
    ...end,
  }
}

/** Whether the other one is the same act on the same subject, and keeps this one from beginning. */
export function isTakenBy({ act, subject }: Attempt, other: LedgerRow): boolean {
  if (other.act !== act) return false
  const own = boundSubject(subject)
  if (other.outcome === 'planned') return subjectKey(other.subject) === subjectKey(own)
  return other.outcome === 'done' && isDoneOnce(act, own) && own.uid !== null && other.subject.uid === own.uid
}

/** It removed something, may have, or is about to. */
export const TAKES_PLACES: readonly LedgerOutcome[] = ['planned', 'done', 'failed']
