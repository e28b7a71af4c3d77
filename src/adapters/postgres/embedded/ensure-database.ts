import { Client, DatabaseError } from 'pg'
import { refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import type { Refusal } from '#/adapters/postgres/connection/database-refusal.ts'
import { adviceFor } from './failure-advice.ts'
import { SUPERUSER } from './cluster.ts'
import type { Cluster } from './cluster.ts'

const DATABASE = 'signalbox'
const DUPLICATE_DATABASE = '42P04'

/** Our own database, so that `postgres` stays what every PostgreSQL tool expects. Answers how to connect to it. */
export async function ensureDatabase(cluster: Cluster, port: number): Promise<string | Refusal> {
  const server = `postgres://${SUPERUSER}:${encodeURIComponent(cluster.password)}@127.0.0.1:${port}`
  const client = new Client({ connectionString: `${server}/postgres` })
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
  return `${server}/${DATABASE}`
}
