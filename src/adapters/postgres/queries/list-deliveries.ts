import type { Delivery, DeliveryFilter, DeliveryRow } from '#/ports/store/deliveries.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const LIST_PENDING_DELIVERIES = `
  select guid, event, received_at as "receivedAt", job, repository, body
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

const LIST_SETTLED_DELIVERIES = `
  select guid, event, received_at as "receivedAt", job, repository, attempts, settled_at as "settledAt", outcome, why
  from deliveries where settled_at is not null and outcome = any($1)
  order by received_at desc, guid desc
  limit $2`

export async function listSettledDeliveries(
  db: Queryable,
  { outcomes, limit }: DeliveryFilter,
): Promise<readonly DeliveryRow[]> {
  const { rows } = await db.query<DeliveryRow>({
    name: 'list-settled-deliveries',
    text: LIST_SETTLED_DELIVERIES,
    types: storedTypes,
    values: [outcomes, limit],
  })
  return rows
}

const REOPEN_DELIVERIES = `
  update deliveries set settled_at = null, outcome = null, why = null, attempts = 0, next_attempt_at = 0
  where guid = any(array(
    select guid from deliveries where settled_at is not null and outcome = any($1) and received_at >= $2
    order by received_at desc, guid desc limit $3 for update skip locked
  ))`

export async function reopenDeliveries(
  db: Queryable,
  { outcomes, receivedSince, limit }: DeliveryFilter & { readonly receivedSince: number },
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'reopen-deliveries',
    text: REOPEN_DELIVERIES,
    values: [outcomes, receivedSince, limit],
  })
  return rowCount ?? 0
}
