import { Client } from 'pg'
import { expect, it } from 'vitest'
import { testDatabase } from './test-database.ts'

const first = await testDatabase()
const second = await testDatabase()

it('gives each caller its own migrated database', async () => {
  expect(first.connectionString).not.toBe(second.connectionString)
  for (const { connectionString } of [first, second]) {
    const client = new Client({ connectionString })
    await client.connect()
    const { rows } = await client.query('select number from signalbox_migrations')
    await client.query('create table mine (id integer)')
    await client.end()
    expect(rows.length).toBeGreaterThan(0)
  }
})
