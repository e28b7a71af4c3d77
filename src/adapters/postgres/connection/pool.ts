import { Pool, type PoolClient, type PoolConfig } from 'pg'
import { classifyFault, reachable } from './pool-fault.ts'

const STATEMENT_TIMEOUT_MS = 30_000
/** More than the server's own limit: it only ends what the server can no longer answer. */
const ANSWER_LATER_MS = 5000
/** A process that hangs inside a transaction must not keep its locks. */
const IDLE_TRANSACTION_MS = 60_000
const CONNECT_TIMEOUT_MS = 10_000
const TRANSACTION_ATTEMPTS = 5

export type PoolRequest = {
  readonly connectionString: string
  readonly maxConnections?: number
  readonly statementTimeoutMs?: number
  /** For a connection of the pool to become free, or to be made. */
  readonly connectTimeoutMs?: number
  /** Shown in pg_stat_activity after the program's name. */
  readonly purpose?: string
}

/** TLS and everything else that a connection string can say is as `pg` reads it. */
export function openPool(request: PoolRequest): Pool {
  const statementTimeoutMs = request.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS
  const config: PoolConfig = {
    connectionString: request.connectionString,
    max: request.maxConnections ?? 10,
    fallback_application_name: request.purpose === undefined ? 'signalbox' : `signalbox ${request.purpose}`,
    keepAlive: true,
    connectionTimeoutMillis: request.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_LATER_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
  }
  const pool = new Pool(config)
  // An error event without a listener ends the process. A dead connection shows at the next query on it; the
  // pool itself listens only while a connection is idle.
  const ignore = () => undefined
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  return pool
}

/**
 * All of the work or none of it. Work that lost against another transaction is run again, so it must change nothing
 * but the database.
 */
export async function withTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return await reachable(async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await transactOnce(pool, work)
      } catch (error) {
        if (classifyFault(error) !== 'conflict' || attempt === TRANSACTION_ATTEMPTS) throw error
      }
    }
  })
}

async function transactOnce<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    broken = false
    return result
  } catch (error) {
    broken = classifyFault(error) === 'unavailable' || !(await rolledBack(client))
    throw error
  } finally {
    client.release(broken)
  }
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  return await client.query('rollback').then(
    () => true,
    () => false,
  )
}
