import type { JobHistoryRow } from '#/ports/store/assignments.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const LIST_HISTORY = `
  select job, generation, event, from_state as "from", to_state as "to", at
  from job_events where job = $1
  order by generation`

export async function listHistory(db: Queryable, job: number): Promise<readonly JobHistoryRow[]> {
  const { rows } = await db.query<JobHistoryRow>({
    name: 'list-history',
    text: LIST_HISTORY,
    types: storedTypes,
    values: [job],
  })
  return rows
}
