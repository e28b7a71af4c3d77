import { hostname } from 'node:os'
import { openDatabase } from '#/adapters/postgres/database.ts'
import { postgresLeadership } from '#/adapters/postgres/leader.ts'
import { postgresStore } from '#/adapters/postgres/store.ts'
import { postgresWakeups } from '#/adapters/postgres/wakeups.ts'
import type { Config } from '#/config/config.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Leadership } from '#/ports/store/leadership.ts'
import type { Store } from '#/ports/store/store.ts'
import { AppFailure } from './failure.ts'
import type { Part } from './part.ts'

export type StorePart = Part & {
  readonly store: Store
  readonly leadership: Leadership
  /** The database, for the person who started the server. */
  readonly where: string
}

type Means = { readonly config: Config; readonly clock: Clock; readonly notice: (text: string) => void }

/** The store on PostgreSQL, and the lock that makes one replica the leader. */
export async function openStore({ config, clock, notice }: Means, signal: AbortSignal): Promise<StorePart> {
  const place = config.databaseUrl === null ? { dataFolder: config.data } : { databaseUrl: config.databaseUrl.reveal() }
  const database = await openDatabase({ place, clock, notice, signal })
  if (database.kind === 'refused') throw new AppFailure('failed', database.why, [database.next])
  const { connectionString, pool, where, close } = database
  const holder = `${hostname()}/${process.pid}`
  const answers = async (): Promise<{ readonly ok: true }> => {
    await pool.query('select 1')
    return { ok: true }
  }
  return {
    store: postgresStore({ pool, wakeups: postgresWakeups({ connectionString, clock }) }),
    leadership: postgresLeadership({ connectionString, name: 'signalbox', holder, clock }),
    where,
    readiness: [{ name: 'database', check: answers }],
    dispose: close,
  }
}
