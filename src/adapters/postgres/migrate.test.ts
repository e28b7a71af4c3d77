import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { ask } from '#test/postgres/ask.ts'
import { openFolder } from '#test/postgres/folders.ts'
import { emptyDatabase } from '#test/postgres/test-database.ts'
import { expectRefusal } from '#test/postgres/expect-refusal.ts'
import { migrate } from './migrate.ts'
import { openPool } from '#/adapters/postgres/connection/pool.ts'

const { connectionString } = await emptyDatabase()
const NOON = Date.UTC(2026, 10, 15, 12)
let folder: string

async function put(name: string, sql: string): Promise<void> {
  await writeFile(join(folder, name), sql)
}

async function run(signal = new AbortController().signal) {
  const pool = openPool({ connectionString })
  try {
    return await migrate({ pool, folder, clock: { ...systemClock, now: () => NOON }, signal })
  } finally {
    await pool.end()
  }
}

describe('migrating', () => {
  beforeEach(async () => {
    folder = await openFolder()
  })
  afterEach(async () => {
    await ask(connectionString, 'drop schema public cascade', 'create schema public')
  })

  it('applies each file once, at the time of the clock', async () => {
    await put('0001_a.sql', 'create table a (x integer); insert into a values (1);')
    expect(await run()).toEqual({ kind: 'migrated', applied: ['0001_a.sql'] })
    await put('0002_b.sql', '--! breaking-change\ninsert into a values (2);')
    expect(await run()).toEqual({ kind: 'migrated', applied: ['0002_b.sql'] })
    expect(await run()).toEqual({ kind: 'migrated', applied: [] })
    expect(await ask(connectionString, 'select x from a order by x')).toEqual([{ x: 1 }, { x: 2 }])
    const records = await ask(
      connectionString,
      'select number, breaking, applied_at from signalbox_migrations order by 1',
    )
    expect(records).toEqual([
      { number: 1, breaking: false, applied_at: String(NOON) },
      { number: 2, breaking: true, applied_at: String(NOON) },
    ])
  })

  it('gives a step the time that it needs, though a query of the program may not take so long', async () => {
    await put('0001_a.sql', 'create table a (x integer); select pg_sleep(6);')
    const pool = new Pool({ connectionString, query_timeout: 5000 })
    onTestFinished(async () => await pool.end())
    const request = { pool, folder, clock: systemClock, signal: new AbortController().signal }
    expect(await migrate(request)).toEqual({ kind: 'migrated', applied: ['0001_a.sql'] })
  })

  it('lets replicas that start together take turns', async () => {
    await put('0001_a.sql', 'create table a (x integer); select pg_sleep(0.3);')
    const outcomes = await Promise.all([run(), run(), run()])
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(['migrated', 'migrated', 'migrated'])
    expect(outcomes.flatMap((outcome) => (outcome.kind === 'migrated' ? outcome.applied : []))).toEqual(['0001_a.sql'])
  })

  it('keeps nothing of a step that failed, and everything before it', async () => {
    await put('0001_a.sql', 'create table a (x integer)')
    await put('0002_b.sql', 'create table b (x integer); select 1 / 0;')
    expect(expectRefusal(await run()).why).toContain('division by zero')
    expect(await ask(connectionString, `select to_regclass('a') as a, to_regclass('b') as b`)).toEqual([
      { a: 'a', b: null },
    ])
    await put('0002_b.sql', 'create table b (x integer)')
    expect(await run()).toEqual({ kind: 'migrated', applied: ['0002_b.sql'] })
  })

  it('refuses a schema that a newer program made and that breaks this one', async () => {
    await put('0001_a.sql', 'create table a (x integer)')
    await run()
    const newer = (breaking: boolean) =>
      `insert into signalbox_migrations values (${breaking ? 3 : 2}, 'newer.sql', 'x', ${breaking}, ${NOON})`
    await ask(connectionString, newer(false))
    expect(await run()).toEqual({ kind: 'migrated', applied: [] })
    await ask(connectionString, newer(true))
    expect(expectRefusal(await run()).why).toContain('newer signalbox (newer.sql)')
  })

  it('stops waiting for its turn on its signal', async () => {
    await put('0001_a.sql', 'select pg_sleep(600)')
    const hanging = openPool({ connectionString })
    onTestFinished(async () => await hanging.end())
    const never = new AbortController().signal
    const running = migrate({ pool: hanging, folder, clock: systemClock, signal: never }).catch(() => undefined)
    // Locks alone do not show whose they are: others use this server too, and a connection that ends lets go a little later.
    const hangs = `from pg_stat_activity
      where datname = current_database() and state = 'active' and query = 'select pg_sleep(600)'`
    await expect.poll(async () => await ask(connectionString, `select 1 ${hangs}`), { timeout: 50_000 }).toHaveLength(1)
    expect(expectRefusal(await run(AbortSignal.timeout(300))).why).toContain('stopped')
    await ask(connectionString, `select pg_terminate_backend(pid) ${hangs}`)
    await running
  })
})
