import type { Pool } from 'pg'
import { systemClock } from '#/adapters/clock.ts'
import { openPool } from '#/adapters/postgres/connection/pool.ts'
import { postgresStore } from '#/adapters/postgres/store.ts'
import { postgresWakeups } from '#/adapters/postgres/wakeups.ts'
import { LEADER_LEASE } from '#/ports/store/leadership.ts'
import type { Store } from '#/ports/store/store.ts'

export type PostgresStore = {
  readonly store: Store
  readonly pool: Pool
  readonly close: () => Promise<void>
  /** Gives the lease to the next leader, and returns its epoch. */
  readonly lead: () => Promise<number>
}

export function openPostgresStore(connectionString: string): PostgresStore {
  const pool = openPool({ connectionString })
  const wakeups = postgresWakeups({ connectionString, clock: systemClock })
  const lead = async (): Promise<number> => {
    const { rows } = await pool.query<{ readonly epoch: string }>(NEXT_EPOCH)
    return Number(rows[0]?.epoch)
  }
  return { store: postgresStore({ pool, wakeups }), pool, lead, close: async () => await pool.end() }
}

const NEXT_EPOCH = `
  insert into leases (name, holder, epoch, renewed_at) values ('${LEADER_LEASE}', 'test', 1, 1)
  on conflict (name) do update set epoch = leases.epoch + 1 returning epoch`
