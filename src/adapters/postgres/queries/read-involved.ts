import type { Involved, Involvement } from '#/core/dispatch/assignment.ts'
import { jobFromRow } from '#/adapters/postgres/rows/job.ts'
import type { JobRow } from '#/adapters/postgres/rows/job.ts'
import { slotFromRow } from '#/adapters/postgres/rows/slot.ts'
import type { SlotRow } from '#/adapters/postgres/rows/slot.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** One statement, so that all four are of one moment. By runner: see isSameRunner; an id before a name, live before gone. */
const READ_INVOLVED = `
  with named as materialized (
    select slot.* from (
      select 1 as rank, * from slots where uid = $2
      union all
      select case when runner_id = $3 then 2 else 3 end, * from slots
      where runner_name = $4 and ($3::bigint is null or runner_id is null or runner_id = $3)
    ) as slot
    order by rank, state in ('ended', 'lost'), appeared_at desc, uid
    limit 1
  )
  select
    (select to_json(job) from jobs as job where id = $1) as job,
    (select to_json(named) from named) as slot,
    (select to_json(slot) from slots as slot
      where intended = $1 and state in ('claimed', 'minted', 'registered')
      and uid is distinct from (select uid from named)) as meant_for_job,
    (select to_json(job) from jobs as job
      where id = (select intended from named) and id is distinct from $1) as meant_for_slot`

type Row = {
  readonly job: JobRow | null
  readonly slot: SlotRow | null
  readonly meant_for_job: SlotRow | null
  readonly meant_for_slot: JobRow | null
}

export async function readInvolved(db: Queryable, key: Involvement): Promise<Involved> {
  const { rows } = await db.query<Row>({
    name: 'read-involved',
    text: READ_INVOLVED,
    values: [key.job, key.slot, key.runner?.id ?? null, key.runner?.name ?? null],
  })
  if (rows[0] === undefined) throw new Error('a select without a from gave no row')
  const { job, slot, meant_for_job: meantForJob, meant_for_slot: meantForSlot } = rows[0]
  return {
    job: job && jobFromRow(job),
    slot: slot && slotFromRow(slot),
    meantForJob: meantForJob && slotFromRow(meantForJob),
    meantForSlot: meantForSlot && jobFromRow(meantForSlot),
  }
}
