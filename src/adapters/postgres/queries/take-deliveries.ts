import type { Deliveries, TakenDelivery } from '#/ports/store/deliveries.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** A row that another replica takes right now is passed over; the update asks again what may have changed since. */
const TAKE_DELIVERIES = `
  with due as materialized (
    select guid from deliveries as one
    where settled_at is null and next_attempt_at <= $1
    and not exists (
      select 1 from deliveries as former
      where former.job = one.job and former.settled_at is null
      and (former.received_at, former.guid) < (one.received_at, one.guid)
    )
    order by received_at, guid
    limit $3
    for update skip locked
  ), taken as (
    update deliveries set attempts = attempts + 1, next_attempt_at = $2
    where guid = any(array(select guid from due)) and settled_at is null and next_attempt_at <= $1
    returning guid, event, received_at as "receivedAt", job, repository, body, attempts
  )
  select * from taken order by "receivedAt", guid`

export async function takeDeliveries(
  db: Queryable,
  { at, until, limit }: Parameters<Deliveries['take']>[0],
): Promise<readonly TakenDelivery[]> {
  const { rows } = await db.query<TakenDelivery>({
    name: 'take-deliveries',
    text: TAKE_DELIVERIES,
    types: storedTypes,
    values: [at, until, limit],
  })
  return rows
}

const POSTPONE_DELIVERY = `
  update deliveries set next_attempt_at = $3, why = $4, attempts = attempts - $5
  where guid = $1 and attempts = $2 and settled_at is null`

export async function postponeDelivery(
  db: Queryable,
  guid: string,
  { attempt, at, why, counts }: Parameters<Deliveries['postpone']>[1],
): Promise<void> {
  await db.query({
    name: 'postpone-delivery',
    text: POSTPONE_DELIVERY,
    values: [guid, attempt, at, why, counts ? 0 : 1],
  })
}
