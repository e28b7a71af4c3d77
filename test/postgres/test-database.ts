import { randomBytes } from 'node:crypto'
import { afterAll, inject } from 'vitest'
import { ask } from './ask.ts'
import { otherDatabase } from './other-database.ts'
import type { TestServer } from './provided.ts'

export type TestDatabase = { readonly connectionString: string }

/**
 * A migrated database for the calling test file, dropped after its last test.
 * Call it at the top of the file: `const { connectionString } = await testDatabase()`.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const server = await sharedServer()
  return await createDatabase(server, server.templateDatabase)
}

/** The same without a schema, for tests of the migrations. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return await createDatabase(await sharedServer(), 'template0')
}

async function createDatabase({ connectionString }: TestServer, template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await ask(connectionString, `create database ${name} template ${template}`)
  afterAll(async () => void (await ask(connectionString, `drop database ${name} with (force)`)))
  return { connectionString: otherDatabase(connectionString, name) }
}

async function sharedServer(): Promise<TestServer> {
  const response = await fetch(inject('postgresUrl'))
  if (!response.ok) throw new Error(`the PostgreSQL of the tests did not start: ${await response.text()}`)
  return (await response.json()) as TestServer
}
