import type { Job } from '#/core/job.ts'
import type { MatchRequest } from '#/ports/store.ts'
import { jobFromRow } from '#/adapters/postgres/rows-job.ts'
import type { JobRow } from '#/adapters/postgres/rows-job.ts'
import { storedTypes } from '#/adapters/postgres/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows.ts'

/**
 * The due jobs in turns (see MatchRequest). The repositories are found by jumping from one to the next in the index, so
 * the cost does not grow with the queue. A job that another transaction is changing is left for the next look.
 */
const LOCK_QUEUED_JOBS = `
  with recursive waiting as (
    (select repository from jobs where scope = $1 and state = 'queued' order by repository limit 1)
    union all
    select (select jobs.repository from jobs
      where scope = $1 and state = 'queued' and jobs.repository > waiting.repository
      order by jobs.repository limit 1)
    from waiting where waiting.repository is not null
  ),
  candidate as materialized (
    select due.id, due.turn, due.queued_at
    from waiting cross join lateral (
      select id, queued_at, row_number() over (order by queued_at, id) as turn
      from jobs
      where scope = $1 and state = 'queued' and jobs.repository = waiting.repository and not_before <= $2
      order by queued_at, id
      limit $3
    ) as due
    order by due.turn, due.queued_at, due.id
    limit $4
  )
  select jobs.* from candidate join jobs using (id)
  where jobs.state = 'queued' and jobs.not_before <= $2
  order by candidate.turn, candidate.queued_at, candidate.id
  for update of jobs skip locked`

export async function lockQueuedJobs(db: Queryable, request: MatchRequest): Promise<readonly Job[]> {
  const { rows } = await db.query<JobRow>({
    name: 'lock-queued-jobs',
    text: LOCK_QUEUED_JOBS,
    types: storedTypes,
    values: [request.scope, request.at, request.waiting.length, request.jobLimit],
  })
  return rows.map(jobFromRow)
}
