import { OPEN_OUTCOMES } from '#/core/webhooks/outcome.ts'
import type { Delivery, RecordedDelivery } from '#/ports/store/deliveries.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const RECORD_DELIVERIES = `
  insert into deliveries (guid, event, received_at, job, repository, body, attempts, next_attempt_at)
  select *, 0, 0 from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])
  on conflict (guid) do update set settled_at = null, outcome = null, why = null, attempts = 0, next_attempt_at = 0
  where deliveries.outcome = any($7)
  returning guid, xmax = 0 as is_new`

/** In one statement; no GUID twice. */
export async function recordDeliveries(
  db: Queryable,
  deliveries: readonly Delivery[],
): Promise<readonly RecordedDelivery[]> {
  const { rows } = await db.query<{ readonly guid: string; readonly is_new: boolean }>({
    name: 'record-deliveries',
    text: RECORD_DELIVERIES,
    values: [
      deliveries.map(({ guid }) => guid),
      deliveries.map(({ event }) => event),
      deliveries.map(({ receivedAt }) => receivedAt),
      deliveries.map(({ job }) => job),
      deliveries.map(({ repository }) => repository),
      deliveries.map(({ body }) => body),
      OPEN_OUTCOMES,
    ],
  })
  const written = new Map(rows.map(({ guid, is_new: isNew }) => [guid, isNew]))
  return deliveries.map(({ guid }) => {
    const isNew = written.get(guid)
    if (isNew === undefined) return 'repeated'
    return isNew ? 'new' : 'again'
  })
}
