import { Client, type Pool } from 'pg'
import type { Clock } from '#/ports/clock.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { BinariesSource } from './embedded/choose-binaries.ts'
import { startEmbedded } from './embedded/start-embedded.ts'
import type { EmbeddedServer } from './embedded/start-embedded.ts'
import { migrationsFolder } from './migrate-folder.ts'
import { migrate } from './migrate.ts'
import { reachable } from '#/adapters/postgres/connection/pool-fault.ts'
import { openPool } from '#/adapters/postgres/connection/pool.ts'

/** Partial indexes, merge and the rest of what the queries use are there since this release. */
const OLDEST_MAJOR = 15
const VERSIONS_PER_MAJOR = 10_000

export type DatabaseRequest = {
  readonly place: { readonly databaseUrl: string } | { readonly dataFolder: string }
  /** Which PostgreSQL serves a data folder. */
  readonly binaries?: BinariesSource
  readonly clock: Clock
  /** Takes one line for a person. */
  readonly notice: (line: string) => void
  readonly signal: AbortSignal
}
export type Database = {
  readonly kind: 'open'
  readonly pool: Pool
  /** For connections that cannot come from the pool: the leader's and the listener's. Holds the password. */
  readonly connectionString: string
  /** For people: where the data is, without secrets. */
  readonly where: string
  readonly close: () => Promise<void>
}

/** A database that this program can work with: reachable, new enough, and with the schema that it expects. */
export async function openDatabase(request: DatabaseRequest): Promise<Database | Refusal> {
  if ('databaseUrl' in request.place) return await connect(request, request.place.databaseUrl)
  const server = await startEmbedded({ ...request, dataFolder: request.place.dataFolder })
  if (server.kind === 'refused') return server
  const database = await connect(request, server.connectionString).catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
  if (database.kind === 'refused') {
    await server.stop()
    return database
  }
  return ownedBy(server, database)
}

function ownedBy(server: EmbeddedServer, database: Database): Database {
  const close = async () => {
    await database.close()
    await server.stop()
  }
  return { ...database, where: `${server.location} (${database.where})`, close }
}

async function connect(request: DatabaseRequest, connectionString: string): Promise<Database | Refusal> {
  const where = describeServer(connectionString)
  if (where === null) {
    return refusal(
      'DATABASE_URL is not a connection string that can be understood',
      'It looks like postgres://host:5432/name, with the user and the password before the host.',
    )
  }
  const pool = openPool({ connectionString })
  try {
    const refused = await makeReady(pool, request)
    if (refused === null) return { kind: 'open', pool, connectionString, where, close: closeOnce(pool) }
    await pool.end()
    return refused
  } catch (error) {
    await pool.end()
    if (!(error instanceof StoreUnavailable)) throw error
    return refusal(
      `the database ${where}: ${error.message}`,
      'Check that the server runs and that DATABASE_URL is right.',
    )
  }
}

function closeOnce(pool: Pool): () => Promise<void> {
  let closed: Promise<void> | undefined
  return async () => await (closed ??= pool.end())
}

async function makeReady(pool: Pool, { clock, signal }: DatabaseRequest): Promise<Refusal | null> {
  return await reachable(async () => {
    const { rows } = await pool.query<{ server_version_num: string }>('show server_version_num')
    const tooOld = judgeServerVersion(Number(rows[0]?.server_version_num))
    if (tooOld) return tooOld
    const migrated = await migrate({ pool, folder: migrationsFolder(), clock, signal })
    return migrated.kind === 'refused' ? migrated : null
  })
}

export function judgeServerVersion(versionNumber: number): Refusal | null {
  const major = Math.floor(versionNumber / VERSIONS_PER_MAJOR)
  if (major >= OLDEST_MAJOR) return null
  return refusal(
    `the database server is PostgreSQL ${major}, and signalbox needs ${OLDEST_MAJOR} or newer`,
    'Upgrade the server, or leave DATABASE_URL out to use the PostgreSQL that signalbox brings.',
  )
}

/** Host, port and database as the driver understands them; null when it does not. Never the user or the password. */
export function describeServer(connectionString: string): string | null {
  try {
    const { host, port, database } = new Client({ connectionString })
    return `${database ?? ''} at ${host.startsWith('/') ? host : `${host}:${port}`}`
  } catch {
    return null
  }
}
