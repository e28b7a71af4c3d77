import type { Changes } from '#/core/dispatch/assignment.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** Jobs before slots, each by key: transactions that take their rows in one order never wait for each other in a ring. */
const LOCK_ROWS = `
  with locked_jobs as materialized (select id from jobs where id = any($1) order by id for update),
    locked_slots as materialized (select uid from slots where uid = any($2) order by uid for update)
  select (select count(*) from locked_jobs), (select count(*) from locked_slots)`

export async function lockRows(db: Queryable, { jobs, slots }: Changes): Promise<void> {
  await db.query({
    name: 'lock-rows',
    text: LOCK_ROWS,
    values: [jobs.map(({ after }) => after.id), slots.map(({ after }) => after.uid)],
  })
}
