import type { Pool, PoolClient } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { decideAssignment } from '#/core/dispatch/assignment.ts'
import type { JobChange } from '#/core/dispatch/assignment.ts'
import { chooseFairly } from '#/core/dispatch/fairness.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Store } from '#/ports/store/store.ts'
import { describeStoreContract } from '#test/contracts/store.ts'
import { appeared, delivery, getJob, jobFacts, deathRecord, queued, recordAll } from '#test/contracts/store-builders.ts'
import { newAttempt } from '#test/contracts/ledger-builders.ts'
import { lockScope } from './queries/lock-scope.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { emptyDatabase } from '#test/store/empty-database.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import type { PostgresStore } from '#test/store/open-postgres-store.ts'

const { connectionString } = await testDatabase()

async function openEmpty(): Promise<PostgresStore> {
  const opened = openPostgresStore(connectionString)
  await emptyDatabase(opened.pool)
  return opened
}

async function openForTest(options = ''): Promise<PostgresStore> {
  const url = new URL(connectionString)
  if (options !== '') url.searchParams.set('options', options)
  const opened = openPostgresStore(url.href.replaceAll('+', '%20'))
  onTestFinished(opened.close)
  await emptyDatabase(opened.pool)
  return opened
}

describeStoreContract('PostgreSQL', openEmpty)

describe('the schema', () => {
  const JOB = `insert into jobs (id, run_id, run_attempt, repository, workflow, name, labels, scope, queued_at, generation, recoveries, state`
  const SLOT = `insert into slots (uid, namespace, pod, scope, appeared_at, generation, state`
  const job = (columns: string, values: string) =>
    `${JOB}${columns}) values (1, 1, 1, 'r', 'w', 'n', '{}', 's', 1, 1, 0, ${values})`
  const slot = (columns: string, values: string) => `${SLOT}${columns}) values ('u', 'n', 'p', 's', 1, 1, ${values})`

  it.each([
    ['a queued job without its time', job('', `'queued'`)],
    ['a queued job that a slot holds', job(', not_before, slot', `'queued', 1, 'a'`)],
    ['a claimed job without a slot', job(', claimed_at', `'claimed', 1`)],
    ['a minted job with the time of its claim', job(', slot, minted_at, claimed_at', `'minted', 'a', 1, 1`)],
    ['an executing job without a runner', job(', started_at', `'executing', 1`)],
    ['a finished job without a conclusion', job(', finished_at', `'finished', 1`)],
    ['a job whose runner has an id and no name', job(', conclusion, finished_at, runner_id', `'finished', 'x', 1, 1`)],
    ['a job in an unknown state', job('', `'paused'`)],
    ['a warm slot that is meant for a job', slot(', intended', `'warm', 1`)],
    ['a claimed slot that is meant for nobody', slot(', claimed_at', `'claimed', 1`)],
    ['a minted slot without a runner', slot(', minted_at', `'minted', 1`)],
    ['an executing slot without its job', slot(', runner_name, started_at', `'executing', 'a', 1`)],
    ['a lost slot that still executes', slot(', ended_at, executing', `'lost', 1, 1`)],
    ['a slot in an unknown state', slot('', `'paused'`)],
  ])('refuses %s', async (_title, statement) => {
    const { pool } = await openForTest()
    await expect(pool.query(statement)).rejects.toMatchObject({ code: '23514' })
  })

  it.each(['ledger', 'job_events'])(
    'lets nobody rewrite the rows of %s, nor after retention was allowed to',
    async (table) => {
      const { store, pool } = await openForTest()
      const forever = { deliveriesMs: 9, finishedJobsMs: 9, deathsMs: 9, ledgerMs: 9, evidenceBytes: 9 }
      await store.retention.sweep(forever, 0)
      await recordAll(store, queued(1))
      await store.ledger.begin(newAttempt())
      // The first is on the connection that swept; the pool drops one on which a query fails.
      for (const statement of [`delete from ${table}`, `update ${table} set at = 0`, `truncate ${table}`]) {
        await expect(pool.query(statement)).rejects.toThrow(`${table} is append-only`)
      }
      await expect(
        pool.query(`begin; set local signalbox.retention = 'on'; update ${table} set at = 0; commit`),
      ).rejects.toThrow(`${table} is append-only`)
    },
  )

  it('keeps the first outcome of a delivery', async () => {
    const { store, pool } = await openForTest()
    await store.deliveries.record(delivery('a'))
    await store.deliveries.settle('a', { at: 5, outcome: 'parked', why: 'malformed' })
    await store.deliveries.settle('a', { at: 6, outcome: 'applied', why: null })
    const { rows } = await pool.query('select settled_at, outcome, why from deliveries')
    expect(rows).toEqual([{ settled_at: '5', outcome: 'parked', why: 'malformed' }])
  })

  it('keeps evidence compressed', async () => {
    const { store, pool } = await openForTest()
    const content = new Uint8Array(100_000)
    await store.deaths.record(deathRecord('a'), [{ source: 'log', observed: 'seen', reason: null, content }])
    const { rows } = await pool.query(
      'select substr(content, 1, 2) as start, stored_bytes < 1000 as small from evidence',
    )
    expect(rows).toEqual([{ start: Buffer.from([0x1f, 0x8b]), small: true }])
  })
})

/** A small table is read whole, in its own order; a large one is read by its index, in the order of the statement. */
const PLANS_OF_LARGE_TABLES = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off'

describe('the PostgreSQL store among other transactions', () => {
  it('takes rows in one order, so that writers who name them in opposite orders never deadlock', async () => {
    const { store, pool } = await openForTest(PLANS_OF_LARGE_TABLES)
    const ids = [1, 2, 3]
    await recordAll(store, ...ids.map((id) => queued(id)))
    const jobs = await finishing(store, ids)
    // Both writers wait for the row in the middle. In the order that they name, each would then hold what the other needs.
    const other = await holding(pool, async (client) => await client.query('select from jobs where id = 2 for update'))
    const writing = [jobs, jobs.toReversed()].map((order) => store.assignments.commit({ jobs: order, slots: [] }))
    await expect.poll(async () => await countWaiting(pool), { timeout: 60_000 }).toBe(2)
    await other.letGo()
    expect((await Promise.all(writing)).toSorted()).toEqual(['committed', 'stale'])
    expect(await countDeadlocks(pool)).toBe(0)
  })

  it('lets one match at a time into a scope', async () => {
    const { store, pool } = await openForTest()
    const request = { waiting: ['a'], jobLimit: 10, at: 1000 }
    await recordAll(store, queued(1), appeared('a'))
    const other = await holding(pool, async (client) => await lockScope(client, 'pool'))
    const matching = store.assignments.match({ ...request, scope: 'pool' }, chooseFairly())
    await expect.poll(async () => await countWaiting(pool), { timeout: 60_000 }).toBe(1)
    expect(await store.assignments.match({ ...request, scope: 'another' }, chooseFairly())).toEqual([])
    expect(await countWaiting(pool)).toBe(1)
    await other.letGo()
    expect(await matching).toHaveLength(1)
  })

  it('matches around a job and a slot that somebody else is changing', async () => {
    const { store, pool } = await openForTest()
    await recordAll(store, queued(1), queued(2), appeared('a'), appeared('b'))
    await holding(pool, async (client) => {
      await client.query(`select from jobs where id = 1 for update`)
      await client.query(`select from slots where uid = 'a' for update`)
    })
    const request = { scope: 'pool', waiting: ['a', 'b'], jobLimit: 10, at: 1000 }
    const claims = await store.assignments.match(request, chooseFairly())
    expect(claims.map(({ job, slot }) => [job.id, slot.uid])).toEqual([[2, 'b']])
  })

  it('says that it is unavailable when its connection is cut in the middle of a write, and works again after', async () => {
    const { store, pool } = await openForTest()
    await recordAll(store, queued(1))
    const other = await holding(pool, async (client) => await client.query('select from jobs where id = 1 for update'))
    const writing = recordAll(store, {
      kind: 'job-completed',
      at: 9,
      facts: jobFacts(1),
      runner: null,
      conclusion: 'x',
    })
    const outcome = writing.catch((error: unknown) => error)
    await expect.poll(async () => await cutWaiting(pool), { timeout: 60_000 }).toBeGreaterThan(0)
    expect(await outcome).toBeInstanceOf(StoreUnavailable)
    await other.letGo()
    expect(await getJob(store.assignments, 1)).toMatchObject({ state: 'queued', generation: 1 })
  })
})

async function finishing(store: Store, ids: readonly number[]): Promise<readonly JobChange[]> {
  const changes = ids.map(async (id) => {
    const involved = { job: await getJob(store.assignments, id), slot: null, meantForJob: null, meantForSlot: null }
    const happening = { kind: 'job-completed', at: 9, facts: jobFacts(id), runner: null, conclusion: 'x' } as const
    return decideAssignment(happening, involved).jobs
  })
  return (await Promise.all(changes)).flat()
}

/** An open transaction of somebody else. */
async function holding(
  pool: Pool,
  take: (client: PoolClient) => Promise<unknown>,
): Promise<{ readonly letGo: () => Promise<void> }> {
  const client = await pool.connect()
  let held = true
  const letGo = async () => {
    if (!held) return
    held = false
    await client.query('rollback')
    client.release()
  }
  onTestFinished(letGo)
  await client.query('begin')
  await take(client)
  return { letGo }
}

const WAITING = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

async function countWaiting(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ readonly pid: number }>(`select pid ${WAITING}`)
  return rows.length
}

async function cutWaiting(pool: Pool): Promise<number> {
  const { rows } = await pool.query(`select pg_terminate_backend(pid) ${WAITING}`)
  return rows.length
}

async function countDeadlocks(pool: Pool): Promise<number> {
  // Each connection reports its statistics at its own times; requested at once, the count is complete.
  const clients = await Promise.all(Array.from({ length: pool.idleCount }, async () => await pool.connect()))
  for (const client of clients) await client.query('select pg_stat_force_next_flush()')
  for (const client of clients) client.release()
  const { rows } = await pool.query<{ readonly deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.deadlocks)
}

/** Nobody is given it who asks for a free one; one that was free a moment ago may be taken by now. */
const CLOSED_PORT = 1

describe('the PostgreSQL store without a server', () => {
  const attempts: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
    ['assignments.involved', (store) => store.assignments.involved({ job: 1, slot: null, runner: null })],
    ['assignments.commit', (store) => recordAll(store, queued(1))],
    [
      'assignments.match',
      (store) => store.assignments.match({ scope: 's', waiting: ['a'], jobLimit: 1, at: 1 }, () => []),
    ],
    ['assignments.jobs', (store) => store.assignments.jobs({ limit: 1 })],
    ['deliveries.record', (store) => store.deliveries.record(delivery('a'))],
    ['deaths.record', (store) => store.deaths.record(deathRecord('a'), [])],
    ['deaths.get', (store) => store.deaths.get('a')],
    ['ledger.list', (store) => store.ledger.list({ limit: 1 })],
    ['findings.replace', (store) => store.findings.replace('a', 1, [])],
    ['breakers.list', (store) => store.breakers.list()],
    [
      'retention.sweep',
      (store) =>
        store.retention.sweep({ deliveriesMs: 1, finishedJobsMs: 1, deathsMs: 1, ledgerMs: 1, evidenceBytes: 1 }, 1),
    ],
  ]

  it.each(attempts)('says so, with the cause, in %s', async (_name, attempt) => {
    const opened = openPostgresStore(`postgres://nobody@127.0.0.1:${CLOSED_PORT}/nothing`)
    onTestFinished(opened.close)
    const error: unknown = await attempt(opened.store).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', cause: { code: 'ECONNREFUSED' } })
  })
})
