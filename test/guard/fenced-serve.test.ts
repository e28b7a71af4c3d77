import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PoolClient } from 'pg'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { LEADER_LEASE } from '#/ports/store/leadership.ts'
import { until } from '#test/cluster/until.ts'
import { startSimulatedCluster } from '#test/durability/simulated-cluster.ts'
import type { SimulatedCluster } from '#test/durability/simulated-cluster.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'

const { connectionString } = await testDatabase()
const { pool, store, close } = openPostgresStore(connectionString)
afterAll(close)

const FENCED = 'another server leads, and writes it'
const WAIT_MS = 60_000
const TIMEOUT = { timeout: 400_000 }

async function readEpoch(): Promise<number> {
  const { rows } = await pool.query<{ epoch: string }>('select epoch from leases where name = $1', [LEADER_LEASE])
  return Number(rows[0]?.epoch)
}

/** While a write of the guard waits for the lease: it has named its epoch, and is not yet allowed. */
async function duringWrite(begin: () => void, act: (client: PoolClient) => Promise<unknown>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('select epoch from leases where name = $1 for update', [LEADER_LEASE])
    begin()
    await until({
      what: 'a write that waits for the lease',
      timeoutMs: WAIT_MS,
      probe: async () => {
        const { rowCount } = await pool.query(WAITING)
        return (rowCount ?? 0) > 0 ? true : undefined
      },
    })
    await act(client)
    await client.query('commit')
  } finally {
    client.release()
  }
}

const WAITING = `
  select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like 'select epoch from leases%'`

async function startGuard(cluster: SimulatedCluster): Promise<ServeProcess> {
  const data = await mkdtemp(join(tmpdir(), 'signalbox-fenced-'))
  onTestFinished(() => rm(data, { recursive: true, force: true }))
  const args = ['--kubeconfig', cluster.kubeconfig, '--data', data]
  const serve = await startServe(args, connectionString, { SIGNALBOX_GUARD_STAMP: 'true' })
  // Does nothing to one that was killed.
  onTestFinished(() => serve.stop('SIGKILL'))
  await until({
    what: 'serve to watch',
    timeoutMs: 120_000,
    probe: async () => (serve.said().includes('watching runner pods') ? true : undefined),
    explain: async () => serve.said(),
  })
  return serve
}

const rowsOf = async (name: string) => await store.ledger.list({ act: 'break-glass', name, limit: 10 })

async function untilRow(name: string, serve: ServeProcess): Promise<LedgerRow> {
  return await until({
    what: `the row of ${name}`,
    timeoutMs: WAIT_MS,
    probe: async () => (await rowsOf(name))[0],
    explain: async () => serve.said(),
  })
}

describe('a broken glass', () => {
  it('is not written by a leader that was replaced meanwhile, and by the next one once', TIMEOUT, async () => {
    await using cluster = await startSimulatedCluster()
    const serve = await startGuard(cluster)
    const first = await readEpoch()
    await duringWrite(
      () => cluster.breakGlass('fenced', 'it mines coins'),
      async (client) =>
        await client.query('update leases set epoch = epoch + 1, holder = $2 where name = $1', [LEADER_LEASE, 'other']),
    )
    const row = await untilRow('fenced', serve)
    expect(serve.said()).toContain(FENCED)
    // One more than the other leader had.
    expect([row.epoch, row.outcome]).toEqual([first + 2, 'done'])
    expect(await rowsOf('fenced')).toHaveLength(1)
  })

  it('is written once, whether serve is killed before its row is stored or after', TIMEOUT, async () => {
    await using cluster = await startSimulatedCluster()
    const early = await startGuard(cluster)
    await duringWrite(
      () => cluster.breakGlass('early', 'it mines coins'),
      async () => await early.stop('SIGKILL'),
    )
    expect(await rowsOf('early')).toEqual([])
    const late = await startGuard(cluster)
    await untilRow('early', late)
    await late.stop('SIGKILL')
    const last = await startGuard(cluster)
    // It has looked at the others before it writes of this one.
    cluster.breakGlass('later', 'it mines coins')
    await untilRow('later', last)
    expect(await rowsOf('early')).toHaveLength(1)
  })
})
