import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const DELETE_OLD_LEDGER_ENTRIES = `
  delete from ledger where id = any(array(select id from ledger where at < $1 order by at, id limit $2))`

export async function deleteOldLedgerEntries(db: Queryable, before: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'delete-old-ledger-entries',
    text: DELETE_OLD_LEDGER_ENTRIES,
    values: [before, limit],
  })
  return rowCount ?? 0
}
