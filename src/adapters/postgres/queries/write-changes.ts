import { scopesToWake } from '#/core/dispatch/assignment.ts'
import type { Changes, JobChange } from '#/core/dispatch/assignment.ts'
import { jobInsert, jobUpdate } from '#/adapters/postgres/rows/job.ts'
import { slotInsert, slotUpdate } from '#/adapters/postgres/rows/slot.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'
import { WAKE_CHANNEL } from '#/adapters/postgres/connection/wake-channel.ts'

const JOB_COLUMNS = `id, run_id, run_attempt, repository, workflow, name, labels, scope, queued_at, generation, recoveries,
  state, not_before, slot, claimed_at, minted_at, runner_id, runner_name, started_at, conclusion, finished_at`

const SLOT_COLUMNS = `uid, namespace, pod, scope, node, appeared_at, generation, state, intended, claimed_at, runner_id,
  runner_name, minted_at, executing, started_at, executed, ended_at`

/**
 * All changes in one statement. The core gives each change the generation after the one that it read, so a first
 * generation is an insert, and any other replaces exactly the one before it.
 */
const WRITE_CHANGES = `
  with after_jobs as materialized (select * from json_populate_recordset(null::jobs, $1)),
  after_slots as materialized (select * from json_populate_recordset(null::slots, $2)),
  new_jobs as (
    insert into jobs (${JOB_COLUMNS}) select ${JOB_COLUMNS} from after_jobs where generation = 1
    on conflict (id) do nothing returning id
  ),
  moved_jobs as (
    update jobs set
      scope = after.scope, generation = after.generation, recoveries = after.recoveries, state = after.state,
      not_before = after.not_before,
      slot = after.slot, claimed_at = after.claimed_at, minted_at = after.minted_at, runner_id = after.runner_id,
      runner_name = after.runner_name, started_at = after.started_at, conclusion = after.conclusion,
      finished_at = after.finished_at
    from after_jobs as after
    where jobs.id = after.id and jobs.generation = after.generation - 1
    returning jobs.id
  ),
  new_slots as (
    insert into slots (${SLOT_COLUMNS}) select ${SLOT_COLUMNS} from after_slots where generation = 1
    on conflict (uid) do nothing returning uid
  ),
  moved_slots as (
    update slots set
      generation = after.generation, state = after.state, intended = after.intended, claimed_at = after.claimed_at,
      runner_id = after.runner_id, runner_name = after.runner_name, minted_at = after.minted_at,
      executing = after.executing, started_at = after.started_at, executed = after.executed, ended_at = after.ended_at
    from after_slots as after
    where slots.uid = after.uid and slots.generation = after.generation - 1
    returning slots.uid
  ),
  new_events as (
    insert into job_events (job, generation, from_state, to_state, at, event)
    select * from json_to_recordset($3)
      as row (job bigint, generation integer, from_state text, to_state text, at bigint, event json)
  )
  select
    (select count(*) from new_jobs) + (select count(*) from moved_jobs) as jobs,
    (select count(*) from new_slots) + (select count(*) from moved_slots) as slots,
    (select count(pg_notify('${WAKE_CHANNEL}', scope)) from unnest($4::text[]) as scope) as woken`

/** `stale`: a row was not as the change expects, and the transaction must be rolled back. */
export async function writeChanges(db: Queryable, changes: Changes): Promise<'written' | 'stale'> {
  const { jobs, slots } = changes
  const { rows } = await db.query<{ readonly jobs: number; readonly slots: number }>({
    name: 'write-changes',
    text: WRITE_CHANGES,
    types: storedTypes,
    values: [
      JSON.stringify(jobs.map(({ before, after }) => (before === null ? jobInsert(after) : jobUpdate(after)))),
      JSON.stringify(slots.map(({ before, after }) => (before === null ? slotInsert(after) : slotUpdate(after)))),
      JSON.stringify(jobs.map(eventRow)),
      scopesToWake(changes),
    ],
  })
  return rows[0]?.jobs === jobs.length && rows[0].slots === slots.length ? 'written' : 'stale'
}

function eventRow({ before, after, event }: JobChange): object {
  return {
    job: after.id,
    generation: after.generation,
    from_state: before?.state ?? null,
    to_state: after.state,
    at: event.at,
    event,
  }
}
