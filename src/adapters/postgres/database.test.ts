import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { ask } from '#test/postgres/ask.ts'
import { openFolder } from '#test/postgres/folders.ts'
import { emptyDatabase } from '#test/postgres/test-database.ts'
import { expectRefusal } from '#test/postgres/expect-refusal.ts'
import { describeServer, judgeServerVersion, openDatabase } from './database.ts'
import type { DatabaseRequest } from './database.ts'
import { migrationsFolder } from './migrate-folder.ts'

const { connectionString } = await emptyDatabase()

async function open(place: DatabaseRequest['place']) {
  const signal = AbortSignal.timeout(60_000)
  const database = await openDatabase({ place, clock: systemClock, notice: () => undefined, signal })
  if (database.kind === 'open') onTestFinished(database.close)
  return database
}

describe('the database', () => {
  it('of a server is migrated when it is opened, and not ended when it is closed', async () => {
    const database = await open({ databaseUrl: connectionString })
    if (database.kind === 'refused') throw new Error(database.why)
    const files = (await readdir(migrationsFolder())).filter((name) => name.endsWith('.sql'))
    const { rows } = await database.pool.query<{ name: string }>(
      'select name from signalbox_migrations order by number',
    )
    expect(rows.map(({ name }) => name)).toEqual(files.toSorted())
    await database.close()
    expect(await ask(connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('of this machine lives in a folder, and ends when it is closed', { timeout: 120_000 }, async () => {
    const dataFolder = join(await openFolder(), 'data')
    const database = await open({ dataFolder })
    if (database.kind === 'refused') throw new Error(database.why)
    expect(database.where).toContain(dataFolder)
    expect(database.where).not.toContain(new URL(database.connectionString).password)
    await database.close()
    await expect(ask(database.connectionString, 'select 1')).rejects.toThrow(/ENOENT|ECONNREFUSED/)
  })

  it.each([
    ['that nobody serves', 'postgres://user:hunter2@127.0.0.1:1/nowhere', 'nowhere at 127.0.0.1:1'],
    ['whose address nobody understands', 'postgres://user:hunter2@host:port/x', 'DATABASE_URL'],
  ])('%s is refused without printing the password', async (_what, databaseUrl, why) => {
    const refused = await open({ databaseUrl })
    expect(expectRefusal(refused).why).toContain(why)
    expect(JSON.stringify(refused)).not.toContain('hunter2')
  })

  it.each([
    [140_011, false],
    [149_999, false],
    [150_000, true],
    [180_004, true],
  ])('of server version %i is good enough: %s', (version, good) => {
    expect(judgeServerVersion(version) === null).toBe(good)
  })

  it('is described without user and password', () => {
    expect(describeServer('postgres://user:hunter2@db.example:6543/fleet?sslmode=verify-full')).toBe(
      'fleet at db.example:6543',
    )
  })
})
