import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** Lets this transaction, and no other, remove rows of the append-only tables. */
export async function permitRetention(db: Queryable): Promise<void> {
  await db.query({ name: 'permit-retention', text: `select set_config('signalbox.retention', 'on', true)` })
}
