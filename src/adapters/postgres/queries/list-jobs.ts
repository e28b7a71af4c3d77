import type { Job } from '#/core/dispatch/job.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { jobFromRow } from '#/adapters/postgres/rows/job.ts'
import type { JobRow } from '#/adapters/postgres/rows/job.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** Not named: planned with its values, so that the partial index of the wanted states can serve. */
const listInOrder = (order: string) => `
  select * from jobs
  where ($1::text[] is null or state = any($1)) and ($2::text is null or scope = $2)
    and ($3::text is null or repository = $3)
  order by ${order}
  limit $4`

const OLDEST_FIRST = listInOrder('queued_at, id')
const LATEST_FIRST = listInOrder('queued_at desc, id desc')

export async function listJobs(db: Queryable, filter: Parameters<Assignments['jobs']>[0]): Promise<readonly Job[]> {
  const { rows } = await db.query<JobRow>({
    text: filter.latest === true ? LATEST_FIRST : OLDEST_FIRST,
    types: storedTypes,
    values: [filter.states ?? null, filter.scope ?? null, filter.repository ?? null, filter.limit],
  })
  return rows.map(jobFromRow)
}
