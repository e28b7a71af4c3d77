import type { BreakerRow } from '#/ports/store/breakers.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const LIST_BREAKERS = `
  select key, generation, failures, open_until as "openUntil", why, changed_at as "changedAt"
  from breakers where $1::text is null or key = $1
  order by key`

/** All breakers, or the one of a key. */
export async function listBreakers(db: Queryable, key: string | null): Promise<readonly BreakerRow[]> {
  const { rows } = await db.query<BreakerRow>({ text: LIST_BREAKERS, types: storedTypes, values: [key] })
  return rows
}
