import { Client, DatabaseError } from 'pg'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { adviceFor } from './failure-advice.ts'
import { SUPERUSER } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { SOCKET_PORT } from './socket-folder.ts'

export const DATABASE = 'signalbox'
const DUPLICATE_DATABASE = '42P04'

/** As a URL that `psql` understands too: the socket's folder, and only a password. */
export function socketAddress({ password }: Pick<Cluster, 'password'>, socketFolder: string, database: string): string {
  const user = `${SUPERUSER}:${encodeURIComponent(password)}`
  return `postgres://${user}@localhost:${SOCKET_PORT}/${database}?host=${encodeURIComponent(socketFolder)}`
}

/** Our own database, so that `postgres` stays what every PostgreSQL tool expects. Answers how to connect to it. */
export async function ensureDatabase(cluster: Cluster, socketFolder: string): Promise<string | Refusal> {
  const client = new Client({ connectionString: socketAddress(cluster, socketFolder, 'postgres') })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(`create database ${DATABASE}`)
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== DUPLICATE_DATABASE) {
      return refusal(`PostgreSQL started but did not let us in: ${String(error)}`, adviceFor(String(error)))
    }
  } finally {
    await client.end().catch(() => undefined)
  }
  return socketAddress(cluster, socketFolder, DATABASE)
}
