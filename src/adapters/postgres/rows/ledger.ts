import type { UnstoredRow } from '#/core/ledger/attempt.ts'
import type { GateProof, LedgerFields, LedgerOrigin, LedgerRow, LedgerStep } from '#/core/ledger/ledger-row.ts'

export type StoredLedgerRow = Pick<
  LedgerFields,
  'id' | 'at' | 'act' | 'actor' | 'outcome' | 'evidence' | 'epoch' | 'why' | 'run' | 'places'
> & {
  readonly subject_kind: string
  readonly subject_namespace: string | null
  readonly subject_name: string
  readonly subject_uid: string | null
  readonly policy: string | null
  readonly loop: string | null
  readonly command: string | null
  readonly decided_by: string | null
  readonly gates: readonly GateProof[]
  readonly ended_at: number | null
  readonly scale_set: string | null
  readonly steps: readonly LedgerStep[]
}

export function ledgerFromRow(row: StoredLedgerRow): LedgerRow {
  const { id, at, act, actor, outcome, gates, evidence, epoch, why, run, places, steps } = row
  return {
    id,
    at,
    act,
    subject: { kind: row.subject_kind, namespace: row.subject_namespace, name: row.subject_name, uid: row.subject_uid },
    ...originFromRow(row),
    actor,
    outcome,
    decidedBy: row.decided_by,
    gates,
    evidence,
    epoch,
    why,
    endedAt: row.ended_at,
    run,
    scaleSet: row.scale_set,
    places,
    steps,
  }
}

function originFromRow({ policy, loop, command }: StoredLedgerRow): LedgerOrigin {
  if (policy !== null) return { policy }
  return loop === null ? { command: command ?? '' } : { loop }
}

/** In the order of `INSERT_LEDGER_ROW`. */
export function ledgerValues(row: UnstoredRow): readonly unknown[] {
  const { subject, at, act, actor, outcome, decidedBy, gates, evidence, epoch, why, endedAt } = row
  const about = [at, act, subject.kind, subject.namespace, subject.name, subject.uid]
  const [policy, loop] = ['policy' in row ? row.policy : null, 'loop' in row ? row.loop : null]
  const origin = [policy, loop, 'command' in row ? row.command : null]
  const result = [actor, outcome, decidedBy, JSON.stringify(gates), evidence, epoch, why, endedAt]
  return [...about, ...origin, ...result, row.run, row.scaleSet, row.places, JSON.stringify(row.steps)]
}
