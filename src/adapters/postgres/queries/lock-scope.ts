import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** "matc" in ASCII: the first half of the key sets these locks apart from all others. */
const MATCH_LOCK = 0x6d_61_74_63

/** Held until the transaction ends. Two scopes with the same hash merely take turns. */
export async function lockScope(db: Queryable, scope: string): Promise<void> {
  await db.query({
    name: 'lock-scope',
    text: 'select pg_advisory_xact_lock($1::integer, hashtext($2))',
    values: [MATCH_LOCK, scope],
  })
}
