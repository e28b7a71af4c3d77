import type { Slot } from '#/core/dispatch/slot.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { slotFromRow } from '#/adapters/postgres/rows/slot.ts'
import type { SlotRow } from '#/adapters/postgres/rows/slot.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** Not named: planned with its values, so that the partial index of the live slots can serve. */
const LIST_SLOTS = `
  select * from slots
  where ($1::text[] is null or state = any($1)) and ($2::text is null or scope = $2)
  order by appeared_at, uid
  limit $3`

export async function listSlots(db: Queryable, filter: Parameters<Assignments['slots']>[0]): Promise<readonly Slot[]> {
  const { rows } = await db.query<SlotRow>({
    text: LIST_SLOTS,
    types: storedTypes,
    values: [filter.states ?? null, filter.scope ?? null, filter.limit],
  })
  return rows.map(slotFromRow)
}
