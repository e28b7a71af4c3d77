import type { Job } from '#/core/dispatch/job.ts'
import type { MatchRequest } from '#/ports/store/assignments.ts'
import { queuedJobFromRow } from '#/adapters/postgres/rows/job.ts'
import type { QueuedJobRow } from '#/adapters/postgres/rows/job.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** The due jobs of one repository, numbered by age. */
const dueJobs = (page: string) => `
  select id, queued_at, row_number() over (order by queued_at, id) as turn
  from jobs
  where scope = $1 and state = 'queued' and jobs.repository = waiting.repository and not_before <= $2
  order by queued_at, id
  ${page}`

/**
 * The due jobs in turns (see MatchRequest). The repositories are found by jumping from one to the next in the index. Each
 * gives its part of the limit; only where that is too little, because some have few jobs, are the others asked for more.
 * So the cost does not grow with the queue. A job that another transaction is changing is left for the next look.
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
  part as (select least($3::bigint, $4 / greatest(count(repository), 1) + 1) as jobs from waiting),
  first as materialized (
    select due.* from waiting cross join lateral (${dueJobs('limit (select jobs from part)')}) as due
  ),
  more as (
    select due.* from waiting cross join lateral (
      ${dueJobs('offset (select jobs from part) limit $3 - (select jobs from part)')}
    ) as due
    where (select count(*) from first) < $4
  ),
  candidate as (
    select id from (select * from first union all select * from more) as due
    order by turn, queued_at, id
    limit $4::bigint
  )
  select id, run_id, run_attempt, repository, workflow, name, labels, scope, queued_at, generation, recoveries, not_before
  from jobs
  where id = any(array(select id from candidate)) and state = 'queued' and not_before <= $2
  order by queued_at, id
  for update skip locked`

export async function lockQueuedJobs(db: Queryable, request: MatchRequest): Promise<readonly Job[]> {
  const { rows } = await db.query<QueuedJobRow>({
    name: 'lock-queued-jobs',
    text: LOCK_QUEUED_JOBS,
    types: storedTypes,
    values: [request.scope, request.at, request.waiting.length, request.jobLimit],
  })
  return rows.map(queuedJobFromRow)
}
