import { PgBoss } from 'pg-boss'

import { BATCH } from './peer.ts'
import type { Peer, Prepared } from './peer.ts'

const QUEUE = 'jobs'

/** `fetch` with a batch: pg-boss' own way to claim many at once. Nothing is completed. */
export const pgBoss: Peer = {
  name: 'pg-boss',
  prepare: async (connectionString, jobs) => {
    const boss = await filled(connectionString, jobs)
    return { claimAll: () => fetchUntilEmpty(boss, BATCH), close: () => boss.stop({ graceful: false }) }
  },
}

/** Consumers that know nothing of each other, as workers in pods are. */
export const pgBossOneByOne: Peer = {
  name: 'pg-boss',
  prepare: async (connectionString, jobs): Promise<Prepared> => {
    const boss = await filled(connectionString, jobs)
    return {
      claimAll: async () => {
        const given = await Promise.all(Array.from({ length: BATCH }, () => fetchUntilEmpty(boss, 1)))
        return given.reduce((sum, count) => sum + count, 0)
      },
      close: () => boss.stop({ graceful: false }),
    }
  },
}

async function filled(connectionString: string, jobs: number): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, supervise: false, schedule: false })
  await boss.start()
  await boss.createQueue(QUEUE)
  const rows = Array.from({ length: jobs }, (_, index) => ({ data: { job: index } }))
  for (let start = 0; start < jobs; start += BATCH) await boss.insert(QUEUE, rows.slice(start, start + BATCH))
  return boss
}

async function fetchUntilEmpty(boss: PgBoss, batchSize: number): Promise<number> {
  let given = 0
  for (;;) {
    const batch = await boss.fetch(QUEUE, { batchSize })
    if (batch.length === 0) return given
    given += batch.length
  }
}
