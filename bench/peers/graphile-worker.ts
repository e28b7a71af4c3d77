import { Logger, run, runMigrations } from 'graphile-worker'
import { Pool } from 'pg'

import { BATCH } from './peer.ts'
import type { Peer, Prepared } from './peer.ts'

const quiet = new Logger(() => () => {})

/** Its local queue claims in batches; a job counts when its task starts. It completes jobs meanwhile, which it cannot leave out. */
export const graphileWorker: Peer = {
  name: 'graphile-worker',
  prepare: (connectionString, jobs) => prepare(connectionString, jobs, BATCH),
}

/** Without the local queue every worker asks for itself. */
export const graphileWorkerOneByOne: Peer = {
  name: 'graphile-worker',
  prepare: (connectionString, jobs) => prepare(connectionString, jobs, -1),
}

async function prepare(connectionString: string, jobs: number, localQueueSize: number): Promise<Prepared> {
  const pool = new Pool({ connectionString })
  // A pool without a listener would end the process when its server closes an idle connection.
  pool.on('error', () => {})
  await runMigrations({ pgPool: pool, logger: quiet })
  const rows = Array.from({ length: jobs }, (_, index) => ({ identifier: 'claim', payload: { job: index } }))
  await pool.query(
    `select count(*) from graphile_worker.add_jobs(
       array(select json_populate_record(null::graphile_worker.job_spec, entry) from json_array_elements($1::json) entry))`,
    [JSON.stringify(rows)],
  )
  await pool.query('analyze')
  return { claimAll: () => claimAll(pool, jobs, localQueueSize), close: () => pool.end() }
}

async function claimAll(pool: Pool, jobs: number, localQueueSize: number): Promise<number> {
  let given = 0
  let all: () => void = () => {}
  const done = new Promise<void>((resolve) => {
    all = resolve
  })
  const claim = () => {
    given += 1
    if (given === jobs) all()
  }
  const runner = await run({
    pgPool: pool,
    taskList: { claim },
    preset: {
      worker: {
        logger: quiet,
        concurrentJobs: BATCH,
        localQueue: { size: localQueueSize },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  })
  await done
  await runner.stop()
  return given
}
