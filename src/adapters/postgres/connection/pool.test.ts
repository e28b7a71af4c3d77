import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { ask } from '#test/postgres/ask.ts'
import { emptyDatabase } from '#test/postgres/test-database.ts'
import { openPool, withTransaction } from './pool.ts'

const { connectionString } = await emptyDatabase()
const pool = openPool({ connectionString, maxConnections: 4 })
afterAll(async () => await pool.end())

async function backend(on: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await on.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]!.pid
}

async function terminate(pid: number): Promise<void> {
  await ask(connectionString, `select pg_terminate_backend(${pid}, 10000)`)
}

async function counters(): Promise<unknown> {
  return await ask(connectionString, 'select id, value from counters order by id')
}

describe('the pool', () => {
  it('outlives the death of an idle connection and of one that is in somebody’s hands', async () => {
    await terminate(await backend(pool))
    const client = await pool.connect()
    await terminate(await backend(client))
    await expect(client.query('select 1')).rejects.toThrow(/terminat|not queryable/u)
    client.release(true)
    expect(await backend(pool)).toBeGreaterThan(0)
  })

  it('sets the limits that keep one query from holding up the rest, and says who we are', async () => {
    const { rows } = await pool.query(`
      select current_setting('statement_timeout') as statement,
             current_setting('idle_in_transaction_session_timeout') as idle,
             current_setting('application_name') as name`)
    expect(rows).toEqual([{ statement: '30s', idle: '1min', name: 'signalbox' }])
  })
})

describe('a transaction', () => {
  beforeAll(async () => {
    await ask(
      connectionString,
      'create table counters (id integer primary key, value integer not null)',
      'insert into counters values (1, 0), (2, 0)',
    )
  })

  it('is kept whole when its work succeeds, and undone when it throws', async () => {
    await withTransaction(pool, async (client) => await client.query('update counters set value = 1 where id = 1'))
    const ours = new Error('changed my mind')
    const undone = withTransaction(pool, async (client) => {
      await client.query('update counters set value = 2')
      throw ours
    })
    await expect(undone).rejects.toBe(ours)
    expect(await counters()).toEqual([
      { id: 1, value: 1 },
      { id: 2, value: 0 },
    ])
  })

  it('is run again when the server undid it to end a deadlock', async () => {
    const held = Promise.withResolvers<void>()
    let holding = 0
    let runs = 0
    const bump = async (first: number, second: number) =>
      await withTransaction(pool, async (client) => {
        runs += 1
        await client.query('update counters set value = value + 10 where id = $1', [first])
        holding += 1
        if (holding === 2) held.resolve()
        await held.promise
        await client.query('update counters set value = value + 10 where id = $1', [second])
      })
    await Promise.all([bump(1, 2), bump(2, 1)])
    // Three when only one of them had to give way, more when both did in turn.
    expect(runs).toBeGreaterThanOrEqual(3)
    expect(await counters()).toEqual([
      { id: 1, value: 21 },
      { id: 2, value: 20 },
    ])
  })

  it('gives up as unavailable when it loses every time', async () => {
    let runs = 0
    const losing = withTransaction(pool, async (client) => {
      runs += 1
      await client.query(`do $$ begin raise exception using errcode = '40001'; end $$`)
    })
    await expect(losing).rejects.toBeInstanceOf(StoreUnavailable)
    expect(runs).toBe(5)
  })

  it('throws StoreUnavailable when its connection dies, and the pool serves on', async () => {
    const dying = withTransaction(pool, async (client) => {
      await terminate(await backend(client))
      await client.query('select 1')
    })
    await expect(dying).rejects.toBeInstanceOf(StoreUnavailable)
    expect(await backend(pool)).toBeGreaterThan(0)
  })

  it('throws StoreUnavailable without the password when there is no server', async () => {
    const nowhere = openPool({ connectionString: 'postgres://user:hunter2@127.0.0.1:1/nowhere' })
    onTestFinished(async () => await nowhere.end())
    const thrown = await withTransaction(nowhere, async () => 1).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(StoreUnavailable)
    expect(String(thrown)).toContain('ECONNREFUSED')
    expect(String(thrown)).not.toContain('hunter2')
  })
})
