import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { LEADER_LEASE } from '#/ports/store/leadership.ts'
import { until } from '#test/cluster/until.ts'
import { startSimulatedCluster } from '#test/durability/simulated-cluster.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'

const { connectionString } = await testDatabase()
const { pool, store, close } = openPostgresStore(connectionString)
afterAll(close)

const FENCED = 'another server leads, and writes it'
const WAIT_MS = 60_000

async function readEpoch(): Promise<number> {
  const { rows } = await pool.query<{ epoch: string }>('select epoch from leases where name = $1', [LEADER_LEASE])
  return Number(rows[0]?.epoch)
}

/** Somebody else becomes the leader while a write waits for the lease: it has named its epoch, and is not yet allowed. */
async function replaceLeaderDuring(owner: Pool, begin: () => void): Promise<void> {
  const client = await owner.connect()
  try {
    await client.query('begin')
    await client.query('select epoch from leases where name = $1 for update', [LEADER_LEASE])
    begin()
    await until({
      what: 'a write that waits for the lease',
      timeoutMs: WAIT_MS,
      probe: async () => {
        const { rowCount } = await pool.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'select epoch from leases%'",
        )
        return (rowCount ?? 0) > 0 ? true : undefined
      },
    })
    await client.query('update leases set epoch = epoch + 1, holder = $2 where name = $1', [LEADER_LEASE, 'other'])
    await client.query('commit')
  } finally {
    client.release()
  }
}

it('a serve that was replaced while its guard wrote is fenced, and writes the row when it leads again', async () => {
  await using cluster = await startSimulatedCluster()
  const data = await mkdtemp(join(tmpdir(), 'signalbox-fenced-'))
  onTestFinished(() => rm(data, { recursive: true, force: true }))
  const serve = await startServe(['--kubeconfig', cluster.kubeconfig, '--data', data], connectionString, {
    SIGNALBOX_GUARD_STAMP: 'true',
  })
  onTestFinished(() => serve.stop('SIGKILL'))
  await until({
    what: 'serve to watch',
    timeoutMs: 120_000,
    probe: async () => (serve.said().includes('watching runner pods') ? true : undefined),
    explain: async () => serve.said(),
  })
  const first = await readEpoch()
  await replaceLeaderDuring(pool, () => cluster.breakGlass('broken', 'it mines coins'))
  const row = await until({
    what: 'the row',
    timeoutMs: WAIT_MS,
    probe: async () => (await store.ledger.list({ act: 'break-glass', limit: 10 }))[0],
    explain: async () => serve.said(),
  })
  expect(serve.said()).toContain(FENCED)
  // One more than the other leader had.
  expect([row.epoch, row.outcome]).toEqual([first + 2, 'done'])
  expect(await store.ledger.list({ limit: 10 })).toHaveLength(1)
}, 300_000)
