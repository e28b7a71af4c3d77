import type { PoolClient } from 'pg'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { LEDGER_ACTS, LEDGER_OUTCOMES } from '#/core/ledger/acts.ts'
import { migrationsFolder, readMigrations } from '#/adapters/postgres/migrate-folder.ts'
import { fence } from '#/adapters/postgres/queries/fence.ts'
import { ledgerFilterValues, LIST_LEDGER } from '#/adapters/postgres/queries/list-ledger.ts'
import type { LedgerFilter } from '#/ports/store/ledger.ts'
import { endAs, newAttempt, rowIn, runnerNamed, takeStep } from '#test/contracts/ledger-builders.ts'
import { ask } from '#test/postgres/ask.ts'
import { emptyDatabase as databaseWithoutSchema, testDatabase } from '#test/postgres/test-database.ts'
import { emptyDatabase } from './empty-database.ts'
import { openPostgresStore } from './open-postgres-store.ts'

const { connectionString } = await testDatabase()
const former = await databaseWithoutSchema()
/** Two processes: each has its own connections. */
const stores = [openPostgresStore(connectionString), openPostgresStore(connectionString)] as const
const [first, second] = stores
afterAll(async () => void (await Promise.all(stores.map(async ({ close }) => await close()))))
beforeEach(async () => await emptyDatabase(first.pool))

const AT_ONCE = 20
const numbers = Array.from({ length: AT_ONCE }, (_, index) => index)

async function beginAll(attemptFor: (nth: number) => ReturnType<typeof newAttempt>) {
  const begin = async (nth: number) => await (nth % 2 === 0 ? first : second).store.ledger.begin(attemptFor(nth))
  return await Promise.all(numbers.map(begin))
}

function count(answers: readonly { readonly kind: string }[]): Readonly<Record<string, number>> {
  const kinds = [...new Set(answers.map(({ kind }) => kind))]
  return Object.fromEntries(kinds.map((kind) => [kind, answers.filter((one) => one.kind === kind).length]))
}

describe('the ledger with two processes', () => {
  it('plans as many attempts as the cap has places, of twenty that begin at once', async () => {
    const cap = { run: 5, set: null }
    const answers = await beginAll((nth) => newAttempt({ subject: runnerNamed(`r-${nth}`), cap }))
    expect(count(answers)).toEqual({ planned: 5, refused: 15 })
    const { ledger } = first.store
    expect(await ledger.list({ outcome: 'planned', limit: 100 })).toHaveLength(5)
    expect(await ledger.list({ outcome: 'refused', limit: 100 })).toHaveLength(15)
  })

  it('keeps the cap of a set over two runs that have attempts under way', async () => {
    const cap = { run: null, set: 3 }
    const answers = await beginAll((nth) =>
      newAttempt({ subject: runnerNamed(`r-${nth}`), run: `run-${nth % 2}`, cap }),
    )
    expect(count(answers)).toEqual({ planned: 3, refused: 17 })
  })

  it('gives the same act on the same subject to one of twenty', async () => {
    const answers = await beginAll((nth) => newAttempt({ run: `run-${nth}` }))
    expect(count(answers)).toEqual({ planned: 1, taken: 19 })
    expect(new Set(answers.map((answer) => (answer.kind === 'fenced' ? null : answer.row.id))).size).toBe(1)
    expect(await first.store.ledger.list({ limit: 100 })).toHaveLength(1)
  })

  it('lets one of twenty take the next step', async () => {
    const planned = rowIn(await first.store.ledger.begin(newAttempt()))
    const answers = await Promise.all(
      numbers.map(async (nth) => {
        const { ledger } = (nth % 2 === 0 ? first : second).store
        return await (nth % 3 === 0
          ? ledger.end(planned, endAs('done'))
          : ledger.advance(planned, takeStep(`deleting-${nth}`)))
      }),
    )
    expect(count(answers)).toEqual({ moved: 1, stale: 19 })
    const [row] = await first.store.ledger.list({ limit: 1 })
    expect(row?.steps).toHaveLength(2)
  })

  it('makes the next leader wait for a write of the former one, and fences the write that comes after', async () => {
    const epoch = await first.lead()
    const former = await transaction()
    expect(await fence(former, epoch)).toBeNull()
    const next = second.lead()
    await untilOneWaits()
    await former.query('commit')
    expect(await next).toBe(epoch + 1)
    expect(await first.store.ledger.begin(newAttempt({ epoch }))).toEqual({ kind: 'fenced', epoch: epoch + 1 })
  })

  it('makes a write of the former leader wait while the next one takes the lease, and fences it', async () => {
    const epoch = await first.lead()
    const taking = await transaction()
    await taking.query('update leases set epoch = epoch + 1')
    const writing = first.store.ledger.begin(newAttempt({ epoch }))
    await untilOneWaits()
    await taking.query('commit')
    expect(await writing).toEqual({ kind: 'fenced', epoch: epoch + 1 })
    expect(await first.store.ledger.list({ limit: 1 })).toEqual([])
  })
})

async function transaction(): Promise<PoolClient> {
  const client = await second.pool.connect()
  onTestFinished(() => client.release())
  await client.query('begin')
  return client
}

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

async function untilOneWaits(): Promise<void> {
  await expect.poll(async () => (await first.pool.query(WAITING)).rowCount, { timeout: 60_000 }).toBe(1)
}

describe('the schema of the ledger', () => {
  const planned = async () => rowIn(await first.store.ledger.begin(newAttempt({ evidence: 'e' })))

  it.each([
    ['the act', `act = 'set-cap'`],
    ['the actor', `actor = 'somebody'`],
    ['the evidence', `evidence = 'another'`],
    ['a step that was taken', `steps = jsonb_build_array('x', 'y')`],
    ['an end without a step', `outcome = 'done', ended_at = 5`],
  ])('lets nobody change %s of an attempt that is under way', async (_title, change) => {
    await planned()
    await expect(first.pool.query(`update ledger set ${change}`)).rejects.toThrow('ledger is append-only')
  })

  it('lets nobody change an attempt that has ended', async () => {
    rowIn(await first.store.ledger.end(await planned(), endAs('done')))
    const reopened = `update ledger set outcome = 'planned', ended_at = null, steps = steps || '[{}]'`
    await expect(first.pool.query(reopened)).rejects.toThrow('ledger is append-only')
  })

  it.each([
    ['a refusal without its gate', `outcome = 'refused', ended_at = 5, steps = steps || '[{}]'`],
    ['an end without its time', `outcome = 'done', steps = steps || '[{}]'`],
    ['an unknown outcome', `outcome = 'permitted', ended_at = 5, steps = steps || '[{}]'`],
  ])('refuses %s', async (_title, change) => {
    await planned()
    await expect(first.pool.query(`update ledger set ${change}`)).rejects.toMatchObject({ code: '23514' })
  })
})

describe('migration 0005', () => {
  it('keeps rows of the former ledger, and leaves none of them open', async () => {
    const files = await readMigrations(migrationsFolder())
    const upTo = files.filter(({ number }) => number < 5).map(({ sql }) => sql)
    const outcomes = ['permitted', 'refused', 'done', 'failed']
    const rows = outcomes.map((outcome) => `(1, 'delete-pod', 'pod/a', 'x', '${outcome}', '[]')`)
    const insert = `insert into ledger (at, act, subject, actor, outcome, proofs) values ${rows.join()}`
    const ledger = files.find(({ number }) => number === 5)?.sql ?? ''
    const listed = 'select subject_name, outcome from ledger order by id'
    expect(await ask(former.connectionString, ...upTo, insert, ledger, listed)).toEqual(
      ['failed', 'refused', 'done', 'failed'].map((outcome) => ({ subject_name: 'pod/a', outcome })),
    )
  })
})

describe('the list of a large ledger', () => {
  const ROWS = 60_000
  const FILTERS: readonly (readonly [string, Omit<LedgerFilter, 'limit'>])[] = [
    ['nothing', {}],
    ['the time', { since: ROWS - 100 }],
    ['the rare act', { act: 'break-glass' }],
    ['the rare actor', { actor: 'anna' }],
    ['the rare outcome', { outcome: 'planned' }],
    ['the name', { name: 'runner-77' }],
    ['a page', { outcome: 'refused', after: { at: ROWS / 2, id: 1 } }],
    ['refusals since', { outcome: 'refused', since: ROWS / 2 }],
  ]

  it('is read by an index for every filter', { timeout: 120_000 }, async () => {
    const { pool } = first
    await pool.query(`
      insert into ledger (at, act, subject_kind, subject_name, policy, actor, outcome, decided_by, gates, ended_at, run, places, steps)
      select n, case when n % 20000 = 0 then 'break-glass' else '${LEDGER_ACTS[0]}' end, 'Pod', 'runner-' || n, 'offline',
        case when n % 20000 = 1 then 'anna' else 'signalbox/reap' end,
        case n % 20000 when 2 then '${LEDGER_OUTCOMES[0]}' when 3 then 'done' else 'refused' end,
        case when n % 20000 in (2, 3) then null else 'identity' end,
        '[]', case when n % 20000 = 2 then null else n end, 'run-' || n / 100, 1, '[]'
      from generate_series(1, ${ROWS}) as n`)
    await pool.query('analyze ledger')
    for (const [what, filter] of FILTERS) {
      const explain = {
        text: `explain (analyze, format json) ${LIST_LEDGER}`,
        values: ledgerFilterValues({ ...filter, limit: 100 }),
      }
      const { rows } = await pool.query<Record<string, unknown>>(explain)
      const plan = JSON.stringify(rows)
      expect({ what, plan }).not.toMatchObject({ plan: expect.stringContaining('Seq Scan') as string })
      const removed = [...plan.matchAll(/"Rows Removed by Filter":(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0)
      expect({ what, isSelective: removed < ROWS / 10 }).toEqual({ what, isSelective: true })
    }
  })
})
