import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startServe } from '#test/recorder/serve-process.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { loadApi } from './load-api.ts'
import type { ApiLoad } from './load-api.ts'
import { startClusterProcess } from './cluster-process.ts'

const { connectionString } = await testDatabase()
const FOR_MS = 5000
/** Long before it, everything that starves the recorder would be over. */
const PATIENCE_MS = 120_000
const NO_LOAD: ApiLoad = { bodies: 0, connections: 0, rejudges: 0, rate: 0 }

it.each<[string, ApiLoad]>([
  ['a thousand requests to judge everything again', { ...NO_LOAD, rejudges: 1000 }],
  ['slow bodies, idle connections and requests', { bodies: 200, connections: 500, rejudges: 0, rate: 50 }],
])('no death is lost under %s', { timeout: 400_000 }, async (_what, load) => {
  const data = await mkdtemp(join(tmpdir(), 'signalbox-load-'))
  onTestFinished(() => rm(data, { recursive: true }))
  const { pool, close } = openPostgresStore(connectionString)
  onTestFinished(close)
  await using cluster = await startClusterProcess()
  const serve = await startServe(['--kubeconfig', cluster.kubeconfig, '--data', data], connectionString)
  onTestFinished(() => serve.stop('SIGKILL'))
  const plan = { cluster, serve, pool, load, deathsPerSecond: 20, stored: 500, forMs: FOR_MS, patienceMs: PATIENCE_MS }
  const report = await loadApi(plan)
  process.stderr.write(`${JSON.stringify(load)}: ${JSON.stringify(report)}\n`)
  expect(report.died).toBeGreaterThan(0)
  expect(report.lost).toBe(0)
})
