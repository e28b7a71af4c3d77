import { OPEN_OUTCOMES } from '#/core/webhooks/outcome.ts'
import type { Delivery } from '#/ports/store/deliveries.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const RECORD_DELIVERY = `
  insert into deliveries (guid, event, received_at, job, repository, body, attempts, next_attempt_at)
  values ($1, $2, $3, $4, $5, $6, 0, 0)
  on conflict (guid) do update set settled_at = null, outcome = null, why = null, attempts = 0, next_attempt_at = 0
  where deliveries.outcome = any($7)
  returning xmax = 0 as is_new`

export async function recordDelivery(db: Queryable, delivery: Delivery): Promise<'new' | 'repeated' | 'again'> {
  const { guid, event, receivedAt, job, repository, body } = delivery
  const { rows } = await db.query<{ readonly is_new: boolean }>({
    name: 'record-delivery',
    text: RECORD_DELIVERY,
    values: [guid, event, receivedAt, job, repository, body, OPEN_OUTCOMES],
  })
  if (rows[0] === undefined) return 'repeated'
  return rows[0].is_new ? 'new' : 'again'
}
