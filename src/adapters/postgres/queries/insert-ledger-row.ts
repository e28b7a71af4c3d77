import type { UnstoredRow } from '#/core/ledger/attempt.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { ledgerFromRow, ledgerValues } from '#/adapters/postgres/rows/ledger.ts'
import type { StoredLedgerRow } from '#/adapters/postgres/rows/ledger.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const INSERT_LEDGER_ROW = `
  insert into ledger (
    at, act, subject_kind, subject_namespace, subject_name, subject_uid, policy, loop, command,
    actor, outcome, decided_by, gates, evidence, epoch, why, ended_at, run, scale_set, places, steps
  ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
  returning *`

export async function insertLedgerRow(db: Queryable, row: UnstoredRow): Promise<LedgerRow> {
  const { rows } = await db.query<StoredLedgerRow>({
    name: 'insert-ledger-row',
    text: INSERT_LEDGER_ROW,
    types: storedTypes,
    values: [...ledgerValues(row)],
  })
  if (rows[0] === undefined) throw new Error('the ledger gave no row for the attempt')
  return ledgerFromRow(rows[0])
}
