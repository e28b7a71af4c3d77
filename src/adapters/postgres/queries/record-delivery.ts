import type { Delivery } from '#/ports/store/deliveries.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const RECORD_DELIVERY = `
  insert into deliveries (guid, event, received_at, body) values ($1, $2, $3, $4) on conflict (guid) do nothing`

export async function recordDelivery(db: Queryable, delivery: Delivery): Promise<'new' | 'repeated'> {
  const { rowCount } = await db.query({
    name: 'record-delivery',
    text: RECORD_DELIVERY,
    values: [delivery.guid, delivery.event, delivery.receivedAt, delivery.body],
  })
  return rowCount === 1 ? 'new' : 'repeated'
}
