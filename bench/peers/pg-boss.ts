import { PgBoss } from 'pg-boss'

import { BATCH } from './peer.ts'
import type { Peer } from './peer.ts'

const QUEUE = 'jobs'

/** `fetch` with a batch: pg-boss' own way to claim many at once. Nothing is completed. */
export const pgBoss: Peer = {
  name: 'pg-boss',
  prepare: async (connectionString, jobs) => {
    const boss = new PgBoss({ connectionString, supervise: false, schedule: false })
    await boss.start()
    await boss.createQueue(QUEUE)
    const rows = Array.from({ length: jobs }, (_, index) => ({ data: { job: index } }))
    for (let start = 0; start < jobs; start += BATCH) await boss.insert(QUEUE, rows.slice(start, start + BATCH))
    return {
      claimAll: async () => {
        let given = 0
        for (;;) {
          const batch = await boss.fetch(QUEUE, { batchSize: BATCH })
          if (batch.length === 0) return given
          given += batch.length
        }
      },
      close: () => boss.stop({ graceful: false }),
    }
  },
}
