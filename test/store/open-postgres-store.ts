import type { Pool } from 'pg'
import { systemClock } from '#/adapters/clock.ts'
import { openPool } from '#/adapters/postgres/connection/pool.ts'
import { postgresStore } from '#/adapters/postgres/store.ts'
import { postgresWakeups } from '#/adapters/postgres/wakeups.ts'
import type { Store } from '#/ports/store/store.ts'

export type PostgresStore = { readonly store: Store; readonly pool: Pool; readonly close: () => Promise<void> }

export function openPostgresStore(connectionString: string): PostgresStore {
  const pool = openPool({ connectionString })
  const wakeups = postgresWakeups({ connectionString, clock: systemClock })
  return { store: postgresStore({ pool, wakeups }), pool, close: async () => await pool.end() }
}
