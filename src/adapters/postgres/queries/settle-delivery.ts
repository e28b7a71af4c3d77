import type { Deliveries } from '#/ports/store/deliveries.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const SETTLE_DELIVERY = `
  update deliveries set settled_at = $2, result = $3, why = $4 where guid = $1 and settled_at is null`

export async function settleDelivery(
  db: Queryable,
  guid: string,
  outcome: Parameters<Deliveries['settle']>[1],
): Promise<void> {
  await db.query({
    name: 'settle-delivery',
    text: SETTLE_DELIVERY,
    values: [guid, outcome.at, outcome.result, outcome.why],
  })
}
