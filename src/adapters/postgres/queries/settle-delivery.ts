import type { Deliveries } from '#/ports/store/deliveries.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const SETTLE_DELIVERY = `
  update deliveries set settled_at = $2, outcome = $3, why = $4 where guid = $1 and settled_at is null`

export async function settleDelivery(
  db: Queryable,
  guid: string,
  settled: Parameters<Deliveries['settle']>[1],
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'settle-delivery',
    text: SETTLE_DELIVERY,
    values: [guid, settled.at, settled.outcome, settled.why],
  })
  return rowCount === 1
}
