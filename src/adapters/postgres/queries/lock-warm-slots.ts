import type { Slot } from '#/core/dispatch/slot.ts'
import type { MatchRequest } from '#/ports/store/assignments.ts'
import { warmSlotFromRow } from '#/adapters/postgres/rows/slot.ts'
import type { WarmSlotRow } from '#/adapters/postgres/rows/slot.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const LOCK_WARM_SLOTS = `
  select uid, namespace, pod, scope, node, appeared_at, generation from slots
  where uid = any($1) and scope = $2 and state = 'warm'
  order by appeared_at, uid
  for update skip locked`

export async function lockWarmSlots(db: Queryable, request: MatchRequest): Promise<readonly Slot[]> {
  const { rows } = await db.query<WarmSlotRow>({
    name: 'lock-warm-slots',
    text: LOCK_WARM_SLOTS,
    types: storedTypes,
    values: [request.waiting, request.scope],
  })
  return rows.map(warmSlotFromRow)
}
