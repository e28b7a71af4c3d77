import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

export async function sumEvidenceBytes(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ readonly bytes: number }>({
    text: 'select coalesce(sum(stored_bytes), 0)::bigint as bytes from evidence',
    types: storedTypes,
  })
  return rows[0]?.bytes ?? 0
}
