import { LEADER_LEASE } from '#/ports/store/leadership.ts'
import type { Fenced } from '#/ports/store/ledger.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/**
 * Null if the lease of the leader has this epoch. Inside a transaction the next leader gets the lease only after it: the
 * row stays locked.
 */
export async function fence(db: Queryable, epoch: number | null): Promise<Fenced | null> {
  if (epoch === null) return null
  const { rows } = await db.query<{ readonly epoch: number }>({
    name: 'fence',
    text: 'select epoch from leases where name = $1 for share',
    types: storedTypes,
    values: [LEADER_LEASE],
  })
  const held = rows[0]?.epoch ?? null
  return held === epoch ? null : { kind: 'fenced', epoch: held }
}
