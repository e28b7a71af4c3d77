import type { Delivery } from '#/ports/store/deliveries.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const LIST_PENDING_DELIVERIES = `
  select guid, event, received_at as "receivedAt", body
  from deliveries where settled_at is null
  order by received_at, guid
  limit $1`

export async function listPendingDeliveries(db: Queryable, limit: number): Promise<readonly Delivery[]> {
  const { rows } = await db.query<Delivery>({
    name: 'list-pending-deliveries',
    text: LIST_PENDING_DELIVERIES,
    types: storedTypes,
    values: [limit],
  })
  return rows
}
