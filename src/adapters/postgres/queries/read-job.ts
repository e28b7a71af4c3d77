import type { Job } from '#/core/dispatch/job.ts'
import { jobFromRow } from '#/adapters/postgres/rows/job.ts'
import type { JobRow } from '#/adapters/postgres/rows/job.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

export async function readJob(db: Queryable, id: number): Promise<Job | null> {
  const { rows } = await db.query<JobRow>({
    name: 'read-job',
    text: 'select * from jobs where id = $1',
    types: storedTypes,
    values: [id],
  })
  return rows[0] === undefined ? null : jobFromRow(rows[0])
}
