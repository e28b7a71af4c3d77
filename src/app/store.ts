import { hostname } from 'node:os'
import { openPool } from '#/adapters/postgres/connection/pool.ts'
import type { PoolRequest } from '#/adapters/postgres/connection/pool.ts'
import { openDatabase } from '#/adapters/postgres/database.ts'
import { postgresLeadership } from '#/adapters/postgres/leader.ts'
import { postgresStore } from '#/adapters/postgres/store.ts'
import { postgresWakeups } from '#/adapters/postgres/wakeups.ts'
import type { Config } from '#/config/config.ts'
import type { Clock } from '#/ports/clock.ts'
import { LEADER_LEASE } from '#/ports/store/leadership.ts'
import type { Leadership } from '#/ports/store/leadership.ts'
import type { Store } from '#/ports/store/store.ts'
import { AppFailure } from '#/app/part/failure.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'

/** The same database through connections of their own, so that no part can delay another by using all of them. */
export type StorePart = Part & {
  /** For notifications, retention and the rest. */
  readonly store: Store
  readonly forRecorder: Pick<Store, 'deaths' | 'livePods'>
  readonly forApi: Pick<Store, 'deaths' | 'livePods' | 'ledger'>
  readonly forWebhooks: Pick<Store, 'assignments' | 'deliveries'>
  readonly leadership: Leadership
  /** Throws where the database does not answer. */
  readonly ping: () => Promise<unknown>
  /** The database, for the person who started the server. */
  readonly where: string
}

type Means = { readonly config: Config; readonly clock: Clock; readonly notice: (text: string) => void }

/** The leader and the listener have one more each. */
const POOLS = {
  recorder: { purpose: 'recorder', maxConnections: 10, statementTimeoutMs: 20_000 },
  api: { purpose: 'api', maxConnections: 6, statementTimeoutMs: 10_000, connectTimeoutMs: 5000 },
  webhooks: { purpose: 'webhooks', maxConnections: 8, statementTimeoutMs: 10_000, connectTimeoutMs: 5000 },
  check: { purpose: 'check', maxConnections: 1, statementTimeoutMs: 2000, connectTimeoutMs: 2000 },
} as const satisfies Readonly<Record<string, Omit<PoolRequest, 'connectionString'>>>

const PING_EVERY_MS = 5000

/** The store on PostgreSQL, and the lock that makes one replica the leader. */
export async function openStore({ config, clock, notice }: Means, signal: AbortSignal): Promise<StorePart> {
  const place = config.databaseUrl === null ? { dataFolder: config.data } : { databaseUrl: config.databaseUrl.reveal() }
  const { binaries } = config.postgres
  const database = await openDatabase({ place, binaries, clock, notice, signal })
  if (database.kind === 'refused') throw new AppFailure('failed', database.why, [database.next])
  const { connectionString, pool, where, close } = database
  const holder = `${hostname()}/${process.pid}`
  const recorder = openPool({ connectionString, ...POOLS.recorder })
  const api = openPool({ connectionString, ...POOLS.api })
  const webhooks = openPool({ connectionString, ...POOLS.webhooks })
  const check = openPool({ connectionString, ...POOLS.check })
  const wakeups = postgresWakeups({ connectionString, clock })
  let asking: Promise<unknown> | null = null
  // However many ask, the database is asked once at a time.
  const ping = (): Promise<unknown> =>
    (asking ??= check.query('select 1').finally(() => {
      asking = null
    }))
  const answers = async (): Promise<{ readonly ok: true }> => {
    await ping()
    return { ok: true }
  }
  const otherLeads = (other: string): void =>
    notice(
      `another server leads (${other}): this one records nothing until that has gone. Agents and the audit webhook must reach the leader`,
    )
  return {
    store: postgresStore({ pool, wakeups }),
    forRecorder: postgresStore({ pool: recorder, wakeups }),
    forApi: postgresStore({ pool: api, wakeups }),
    forWebhooks: postgresStore({ pool: webhooks, wakeups }),
    leadership: postgresLeadership({ connectionString, name: LEADER_LEASE, holder, clock, otherLeads }),
    ping,
    where,
    readiness: [{ name: 'database', check: answers }],
    dispose: async () => {
      await Promise.all([recorder.end(), api.end(), webhooks.end(), check.end()])
      await close()
    },
  }
}

/** Shows in the metrics whether the database answers, also while nobody asks for readiness. */
export function openStoreWatch({ metrics }: PartMeans, { ping }: Pick<StorePart, 'ping'>): Part {
  const up = metrics.gauge('signalbox_store_up', 'Whether the database answered the last check.')
  const run = async (): Promise<void> => {
    up.set(
      await ping().then(
        () => 1,
        () => 0,
      ),
    )
  }
  return { replicaLoops: [{ name: 'store check', everyMs: PING_EVERY_MS, run }], dispose: nothingToDispose }
}
