import { describe, expect, it } from 'vitest'
import { migrationsFolder, readMigrations } from '#/adapters/postgres/migrate-folder.ts'
import { ask } from '#test/postgres/ask.ts'
import { emptyDatabase } from '#test/postgres/test-database.ts'

const former = await emptyDatabase()

describe('migration 0006', () => {
  it('gives each former result its outcome, and leaves what is pending pending', async () => {
    const files = await readMigrations(migrationsFolder())
    const upTo = files.filter(({ number }) => number < 6).map(({ sql }) => sql)
    const results = [`5, 'applied', null`, `5, 'ignored', 'not ours'`, `5, 'refused', 'malformed'`, 'null, null, null']
    const rows = results.map((result, index) => `('guid-${index}', 'workflow_job', 1, '{}', ${result})`)
    const insert = `insert into deliveries (guid, event, received_at, body, settled_at, result, why) values ${rows.join()}`
    const webhooks = files.find(({ number }) => number === 6)?.sql ?? ''
    const listed = 'select outcome, why, attempts from deliveries order by guid'
    expect(await ask(former.connectionString, ...upTo, insert, webhooks, listed)).toEqual([
      { outcome: 'applied', why: null, attempts: 0 },
      { outcome: 'no-pool', why: 'not ours', attempts: 0 },
      { outcome: 'parked', why: 'malformed', attempts: 0 },
      { outcome: null, why: null, attempts: 0 },
    ])
  })
})
