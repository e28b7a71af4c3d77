import { DatabaseError } from 'pg'
import type { Pool } from 'pg'
import type { Changes } from '#/core/dispatch/assignment.ts'
import { toClaims, decideClaims } from '#/core/dispatch/claims.ts'
import type { Claim } from '#/core/dispatch/claims.ts'
import type { Candidates, Choose } from '#/core/dispatch/fairness.ts'
import type { Assignments, MatchRequest } from '#/ports/store/assignments.ts'
import { withTransaction } from '#/adapters/postgres/connection/pool.ts'
import { reachable } from '#/adapters/postgres/connection/pool-fault.ts'
import { countHeldShares } from './queries/count-held-shares.ts'
import { listHistory } from './queries/list-history.ts'
import { listJobs } from './queries/list-jobs.ts'
import { listSlots } from './queries/list-slots.ts'
import { lockQueuedJobs } from './queries/lock-queued-jobs.ts'
import { lockRows } from './queries/lock-rows.ts'
import { lockScope } from './queries/lock-scope.ts'
import { lockWarmSlots } from './queries/lock-warm-slots.ts'
import { readInvolved } from './queries/read-involved.ts'
import { readJob } from './queries/read-job.ts'
import { readSlot } from './queries/read-slot.ts'
import { writeChanges } from './queries/write-changes.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

export function postgresAssignments(pool: Pool): Assignments {
  return {
    involved: async (key) => await reachable(async () => await readInvolved(pool, key)),
    commit: async (changes) => await commit(pool, changes),
    match: async (request, choose) => await match(pool, request, choose),
    job: async (id) => await reachable(async () => await readJob(pool, id)),
    slot: async (uid) => await reachable(async () => await readSlot(pool, uid)),
    jobs: async (filter) => await reachable(async () => await listJobs(pool, filter)),
    slots: async (filter) => await reachable(async () => await listSlots(pool, filter)),
    history: async (job) => await reachable(async () => await listHistory(pool, job)),
  }
}

/** Leaves the transaction so that it is rolled back. */
class StaleChanges extends Error {
  readonly code = 'STALE_CHANGES'
}

async function commit(pool: Pool, changes: Changes): Promise<'committed' | 'stale'> {
  const rows = changes.jobs.length + changes.slots.length
  if (rows === 0) return 'committed'
  try {
    await withTransaction(pool, async (client) => {
      if (rows > 1) await lockRows(client, changes)
      await writeOrLeave(client, changes)
    })
    return 'committed'
  } catch (error) {
    if (error instanceof StaleChanges || isTakenTwice(error)) return 'stale'
    throw error
  }
}

async function writeOrLeave(db: Queryable, changes: Changes): Promise<void> {
  if ((await writeChanges(db, changes)) === 'stale') throw new StaleChanges('a row is not as it was read')
}

const UNIQUE_VIOLATION = '23505'
const EXCLUSION_VIOLATION = '23P01'

function isTakenTwice(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === UNIQUE_VIOLATION || error.code === EXCLUSION_VIOLATION)
}

async function match(pool: Pool, request: MatchRequest, choose: Choose): Promise<readonly Claim[]> {
  if (request.waiting.length === 0) return []
  return await withTransaction(pool, async (client) => {
    await lockScope(client, request.scope)
    const candidates = await lockCandidates(client, request)
    if (candidates === null) return []
    const changes = decideClaims(candidates, choose(candidates), request.at)
    // The rows are locked as they were read, so a write that does not find them so is a fault, not an outcome.
    if (changes.jobs.length > 0) await writeOrLeave(client, changes)
    return toClaims(changes)
  })
}

async function lockCandidates(db: Queryable, request: MatchRequest): Promise<Candidates | null> {
  const jobs = await lockQueuedJobs(db, request)
  if (jobs.length === 0) return null
  const slots = await lockWarmSlots(db, request)
  if (slots.length === 0) return null
  return { jobs, slots, held: await countHeldShares(db, request.scope) }
}
