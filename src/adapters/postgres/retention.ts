import type { Pool } from 'pg'
import type { Retention } from '#/ports/store/retention.ts'
import { withTransaction } from '#/adapters/postgres/connection/pool.ts'
import { deleteFinishedJobs } from './queries/delete-finished-jobs.ts'
import { deleteGoneSlots } from './queries/delete-gone-slots.ts'
import { deleteOldDeliveries } from './queries/delete-old-deliveries.ts'
import { deleteOldLedgerEntries } from './queries/delete-old-ledger-entries.ts'
import { deleteOldNotices } from './queries/notices.ts'
import { deleteOldDeaths } from '#/adapters/postgres/queries/delete-old-deaths.ts'
import { expireEvidence } from './queries/expire-evidence.ts'
import { permitRetention } from './queries/permit-retention.ts'
import { sumEvidenceBytes } from './queries/sum-evidence-bytes.ts'
import { reachable } from '#/adapters/postgres/connection/pool-fault.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** Rows per transaction: a sweep after a long pause must not hold locks for long. */
const BATCH = 1000

export function postgresRetention(pool: Pool): Retention {
  const remove: Remove = async (query, limit) => await removeAll(pool, query, limit)
  return {
    sweep: async (policy, now) => ({
      deliveries: await remove(deleteOldDeliveries, now - policy.deliveriesMs),
      jobs: await remove(deleteFinishedJobs, now - policy.finishedJobsMs),
      slots: await remove(deleteGoneSlots, now - policy.finishedJobsMs),
      postmortems: await remove(deleteOldDeaths, now - policy.deathsMs),
      notices: await remove(deleteOldNotices, now - policy.deathsMs),
      ledger: await remove(deleteOldLedgerEntries, now - policy.ledgerMs),
      evidenceParts: await remove(expireEvidence, policy.evidenceBytes),
      evidenceBytesLeft: await reachable(async () => await sumEvidenceBytes(pool)),
    }),
  }
}

/** Removes at most `batch` rows beyond the limit and answers how many. */
type RemoveBatch = (db: Queryable, limit: number, batch: number) => Promise<number>
type Remove = (query: RemoveBatch, limit: number) => Promise<number>

async function removeAll(pool: Pool, removeBatch: RemoveBatch, limit: number): Promise<number> {
  for (let total = 0; ;) {
    const removed = await withTransaction(pool, async (client) => {
      await permitRetention(client)
      return await removeBatch(client, limit, BATCH)
    })
    total += removed
    if (removed < BATCH) return total
  }
}
