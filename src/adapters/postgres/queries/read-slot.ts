import type { Slot } from '#/core/dispatch/slot.ts'
import { slotFromRow } from '#/adapters/postgres/rows/slot.ts'
import type { SlotRow } from '#/adapters/postgres/rows/slot.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

export async function readSlot(db: Queryable, uid: string): Promise<Slot | null> {
  const { rows } = await db.query<SlotRow>({
    name: 'read-slot',
    text: 'select * from slots where uid = $1',
    types: storedTypes,
    values: [uid],
  })
  return rows[0] === undefined ? null : slotFromRow(rows[0])
}
