import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** A job goes with its history, in one transaction that is allowed to remove history. */
const DELETE_FINISHED_JOBS = `
  with gone as (
    delete from jobs where id = any(array(
      select id from jobs where state = 'finished' and finished_at < $1 order by finished_at limit $2
      for update skip locked
    )) returning id
  ),
  history as (delete from job_events where job in (select id from gone))
  select count(*) as jobs from gone`

export async function deleteFinishedJobs(db: Queryable, before: number, limit: number): Promise<number> {
  const { rows } = await db.query<{ readonly jobs: number }>({
    name: 'delete-finished-jobs',
    text: DELETE_FINISHED_JOBS,
    types: storedTypes,
    values: [before, limit],
  })
  return rows[0]?.jobs ?? 0
}
