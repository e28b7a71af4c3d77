import type { Ledger, LedgerEntry } from '#/ports/store/ledger.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const LIST_LEDGER_ENTRIES = `
  select id, at, act, subject, actor, outcome, proofs from ledger
  where ($1::bigint is null or at >= $1) and ($2::text is null or subject = $2)
  order by at desc, id desc
  limit $3`

export async function listLedgerEntries(
  db: Queryable,
  filter: Parameters<Ledger['list']>[0],
): Promise<readonly (LedgerEntry & { readonly id: number })[]> {
  const { rows } = await db.query<LedgerEntry & { readonly id: number }>({
    text: LIST_LEDGER_ENTRIES,
    types: storedTypes,
    values: [filter.since ?? null, filter.subject ?? null, filter.limit],
  })
  return rows
}
