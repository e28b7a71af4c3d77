import { Client } from 'pg'
import { judgeServerVersion } from '#/adapters/postgres/database.ts'
import type { MigrationRecord } from '#/adapters/postgres/migrate-plan.ts'
import { reachable } from '#/adapters/postgres/connection/pool-fault.ts'
import { BackupRefusal } from './backup-refusal.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** Rows as every version writes and reads them, and no limit: a copy takes as long as it takes. */
const SESSION = [
  'set statement_timeout = 0',
  'set idle_in_transaction_session_timeout = 0',
  'set lock_timeout = 0',
  `set client_encoding = 'UTF8'`,
  `set bytea_output = 'hex'`,
  `set datestyle = 'ISO, YMD'`,
  `set intervalstyle = 'postgres'`,
  `set timezone = 'UTC'`,
  'set extra_float_digits = 1',
]

/** A connection for one backup or restore, ended by the signal. */
export async function withStoreClient<T>(
  { connectionString, signal }: { readonly connectionString: string; readonly signal: AbortSignal },
  work: (client: Client, serverVersion: string) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString,
    application_name: 'signalbox store',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  })
  client.on('error', () => undefined)
  const giveUp = () => void client.end().catch(() => undefined)
  try {
    await reachable(async () => await client.connect())
    signal.addEventListener('abort', giveUp, { once: true })
    signal.throwIfAborted()
    for (const statement of SESSION) await client.query(statement)
    return await work(client, await readServerVersion(client))
  } finally {
    signal.removeEventListener('abort', giveUp)
    await client.end().catch(() => undefined)
  }
}

async function readServerVersion(client: Client): Promise<string> {
  const { rows } = await client.query<{ version: string; number: string }>(
    `select current_setting('server_version') as version, current_setting('server_version_num') as number`,
  )
  const tooOld = judgeServerVersion(Number(rows[0]?.number))
  if (tooOld) throw new BackupRefusal(tooOld.why, tooOld.next)
  return rows[0]?.version ?? ''
}

/** The migrations that made this schema, in order; null where there is no store. */
export async function readApplied(client: Client): Promise<readonly MigrationRecord[] | null> {
  const { rows } = await client.query<{ known: boolean }>(
    `select to_regclass('signalbox_migrations') is not null as known`,
  )
  if (rows[0]?.known !== true) return null
  const applied = await client.query<MigrationRecord>(
    'select number, name, sha256, breaking from signalbox_migrations order by number',
  )
  return applied.rows
}
