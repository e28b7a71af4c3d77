import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { startTemporaryServer } from '#test/postgres/temporary-server.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import { loadApi } from '#test/durability/load-api.ts'
import { startSimulatedCluster } from '#test/durability/simulated-cluster.ts'
import { printSection } from './measured.ts'

/** `node bench/api-load.ts --minutes 10`: deaths at 20 a second while the API is under every kind of load. */
const number = (value: string) => ({ type: 'string', default: value }) as const
const options = {
  minutes: number('1'),
  bodies: number('1000'),
  connections: number('3000'),
  rejudges: number('0'),
  rate: number('200'),
} as const
const { values } = parseArgs({ options, strict: true })
const load = {
  bodies: Number(values.bodies),
  connections: Number(values.connections),
  rejudges: Number(values.rejudges),
  rate: Number(values.rate),
}

const data = mkdtempSync(path.join(tmpdir(), 'signalbox-api-load-'))
const database = await startTemporaryServer()
const cluster = await startSimulatedCluster()
const serve = await startServe(['--kubeconfig', cluster.kubeconfig, '--data', data], database.connectionString)
const { pool, close } = openPostgresStore(database.connectionString)
try {
  const forMs = Number(values.minutes) * 60_000
  const plan = { cluster, serve, pool, load, deathsPerSecond: 20, stored: 1000, forMs, patienceMs: 120_000 }
  const { died, lost, storedP50, storedP99, storedMost, resident, answers } = await loadApi(plan)
  printSection({
    title: `${values.minutes} min: ${load.bodies} slow bodies, ${load.connections} connections, ${load.rejudges} rejudges, ${load.rate} requests a second`,
    rows: [
      { what: 'deaths, lost', value: `${died}, ${lost}`, note: lost === 0 ? 'none lost' : 'LOST SOME' },
      { what: 'from end to stored', value: `p50 ${storedP50} ms`, note: `p99 ${storedP99} ms, most ${storedMost} ms` },
      { what: 'resident memory every 10 s', value: `${resident.at(-1)} MB`, note: resident.join(' ') },
      { what: 'answers', value: '', note: answers },
    ],
  })
} finally {
  await close()
  await serve.stop('SIGTERM')
  await cluster[Symbol.asyncDispose]()
  await database.stop()
  rmSync(data, { recursive: true, force: true })
}
