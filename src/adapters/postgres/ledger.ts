import type { Pool } from 'pg'
import { endedRow, planAttempt, toMove } from '#/core/ledger/attempt.ts'
import type { AttemptEnd, AttemptStep, EndedAttempt, NewAttempt } from '#/core/ledger/attempt.ts'
import type { AttemptHandle, Begun, Ledger, Moved, Recorded } from '#/ports/store/ledger.ts'
import { reachable } from '#/adapters/postgres/connection/pool-fault.ts'
import { withTransaction } from '#/adapters/postgres/connection/pool.ts'
import { countPlaces, findTaken, lockLedger } from './queries/begin-attempt.ts'
import { fence } from './queries/fence.ts'
import { insertLedgerRow } from './queries/insert-ledger-row.ts'
import { listLedger } from './queries/list-ledger.ts'
import { moveAttempt } from './queries/move-attempt.ts'

export function postgresLedger(pool: Pool): Ledger {
  return {
    begin: async (attempt) => await begin(pool, attempt),
    advance: async (attempt, step) => await move(pool, attempt, step),
    end: async (attempt, end) => await move(pool, attempt, end),
    record: async (attempt) => await record(pool, attempt),
    list: async (filter) => await reachable(async () => await listLedger(pool, filter)),
  }
}

async function begin(pool: Pool, attempt: NewAttempt): Promise<Begun> {
  return await withTransaction(pool, async (client): Promise<Begun> => {
    // Before the lease, so that whoever waits here does not keep the leader from renewing it.
    await lockLedger(client)
    const fenced = await fence(client, attempt.epoch)
    if (fenced !== null) return fenced
    const other = await findTaken(client, attempt)
    if (other !== null) return { kind: 'taken', row: other }
    const row = await insertLedgerRow(client, planAttempt(attempt, await countPlaces(client, attempt)))
    return { kind: row.outcome === 'planned' ? 'planned' : 'refused', row }
  })
}

async function record(pool: Pool, attempt: EndedAttempt): Promise<Recorded> {
  return await withTransaction(
    pool,
    async (client): Promise<Recorded> =>
      (await fence(client, attempt.epoch)) ?? {
        kind: 'recorded',
        row: await insertLedgerRow(client, endedRow(attempt)),
      },
  )
}

async function move(pool: Pool, attempt: AttemptHandle, written: AttemptStep | AttemptEnd): Promise<Moved> {
  return await withTransaction(pool, async (client): Promise<Moved> => {
    const fenced = await fence(client, written.epoch)
    if (fenced !== null) return fenced
    const row = await moveAttempt(client, attempt, toMove(written))
    if (row !== null) return { kind: 'moved', row }
    return { kind: 'stale', row: (await listLedger(client, { id: attempt.id, limit: 1 }))[0] ?? null }
  })
}
