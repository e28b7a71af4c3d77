import type { LedgerEntry } from '#/ports/store/ledger.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const APPEND_LEDGER_ENTRY = `
  insert into ledger (at, act, subject, actor, outcome, proofs) values ($1, $2, $3, $4, $5, $6) returning id`

export async function appendLedgerEntry(db: Queryable, entry: LedgerEntry): Promise<number> {
  const { rows } = await db.query<{ readonly id: number }>({
    name: 'append-ledger-entry',
    text: APPEND_LEDGER_ENTRY,
    types: storedTypes,
    values: [entry.at, entry.act, entry.subject, entry.actor, entry.outcome, JSON.stringify(entry.proofs)],
  })
  if (rows[0] === undefined) throw new Error('the ledger gave no id for its entry')
  return rows[0].id
}
