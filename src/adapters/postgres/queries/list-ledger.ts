import { boundName } from '#/core/ledger/bounds.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { LedgerFilter } from '#/ports/store/ledger.ts'
import { ledgerFromRow } from '#/adapters/postgres/rows/ledger.ts'
import type { StoredLedgerRow } from '#/adapters/postgres/rows/ledger.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** Without a name: the server plans it for the filters that are given, each of which has its index. */
export const LIST_LEDGER = `
  select * from ledger
  where ($1::bigint is null or id = $1) and ($2::bigint is null or at >= $2) and ($3::bigint is null or at < $3)
    and ($4::text is null or act = $4) and ($5::text is null or actor = $5) and ($6::text is null or outcome = $6)
    and ($7::text is null or subject_name = $7) and ($8::bigint is null or (at, id) < ($8, $9))
  order by at desc, id desc
  limit $10`

export async function listLedger(db: Queryable, filter: LedgerFilter): Promise<readonly LedgerRow[]> {
  const values = ledgerFilterValues(filter)
  const { rows } = await db.query<StoredLedgerRow>({ text: LIST_LEDGER, types: storedTypes, values })
  return rows.map(ledgerFromRow)
}

export function ledgerFilterValues(filter: LedgerFilter): unknown[] {
  const { id, since, until, act, actor, outcome, name, after, limit } = filter
  const names = { actor: boundName(actor ?? null), name: boundName(name ?? null) }
  const asked = [id, since, until, act, names.actor, outcome, names.name, after?.at, after?.id, limit]
  return asked.map((value) => value ?? null)
}
