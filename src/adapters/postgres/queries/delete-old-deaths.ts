import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** The evidence is deleted with its death. */
const DELETE_OLD_DEATHS = `
  delete from postmortems where uid = any(array(
    select uid from postmortems where recorded_at < $1 order by recorded_at, uid limit $2 for update skip locked
  ))`

export async function deleteOldDeaths(db: Queryable, before: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'delete-old-deaths',
    text: DELETE_OLD_DEATHS,
    values: [before, limit],
  })
  return rowCount ?? 0
}
