import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { systemClock } from '#/adapters/clock.ts'
import { migrate } from '#/adapters/postgres/migrate.ts'
import { migrationsFolder } from '#/adapters/postgres/migrate-folder.ts'
import { ask } from './ask.ts'
import { readPostgresEnvironment } from './environment.ts'
import { otherDatabase } from './other-database.ts'
import type { TestServer } from './provided.ts'
import { removeAbandonedServers, startTemporaryServer } from './temporary-server.ts'

export type SharedServer = TestServer & { readonly stop: () => Promise<void> }

/** The server of the whole run, with a migrated template from which each test file's database is copied. */
export async function startSharedServer(): Promise<SharedServer> {
  const server = await chooseServer()
  try {
    const templateDatabase = `template_${randomBytes(6).toString('hex')}`
    await ask(server.connectionString, `create database ${templateDatabase}`)
    const stop = async () => {
      try {
        await ask(server.connectionString, `drop database ${templateDatabase} with (force)`)
      } finally {
        await server.stop()
      }
    }
    await migrateTemplate(otherDatabase(server.connectionString, templateDatabase))
    return { connectionString: server.connectionString, templateDatabase, stop }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function chooseServer(): Promise<{ readonly connectionString: string; readonly stop: () => Promise<void> }> {
  const { databaseUrl } = readPostgresEnvironment()
  if (databaseUrl !== undefined) return { connectionString: databaseUrl, stop: async () => undefined }
  await removeAbandonedServers()
  return await startTemporaryServer()
}

async function migrateTemplate(connectionString: string): Promise<void> {
  const pool = new Pool({ connectionString, max: 1 })
  try {
    const request = { pool, folder: migrationsFolder(), clock: systemClock, signal: AbortSignal.timeout(60_000) }
    const outcome = await migrate(request)
    if (outcome.kind === 'refused') throw new Error(outcome.why)
  } finally {
    await pool.end()
  }
}
