import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** A slot that a job still waits for stays: the recovery of the job reads it, and nobody may take its place. */
const DELETE_GONE_SLOTS = `
  delete from slots where uid = any(array(
    select uid from slots where state in ('ended', 'lost') and ended_at < $1
    and not exists (select from jobs where jobs.slot = slots.uid and jobs.state in ('claimed', 'minted'))
    order by ended_at limit $2
    for update skip locked
  ))`

export async function deleteGoneSlots(db: Queryable, before: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({ name: 'delete-gone-slots', text: DELETE_GONE_SLOTS, values: [before, limit] })
  return rowCount ?? 0
}
