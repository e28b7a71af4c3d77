import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const DELETE_OLD_DELIVERIES = `
  delete from deliveries where guid = any(array(
    select guid from deliveries where received_at < $1 order by received_at limit $2 for update skip locked
  ))`

export async function deleteOldDeliveries(db: Queryable, before: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'delete-old-deliveries',
    text: DELETE_OLD_DELIVERIES,
    values: [before, limit],
  })
  return rowCount ?? 0
}
