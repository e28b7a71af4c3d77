import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { startTemporaryServer } from '#test/postgres/temporary-server.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import { startClusterProcess } from '#test/durability/cluster-process.ts'
import { loadApi } from '#test/durability/load-api.ts'
import { median, printSection } from './measured.ts'
import { readCost } from './process-cost.ts'

/** `node bench/api-load.ts --minutes 10`: deaths at 20 a second while the API is under every kind of load. */
const number = (value: string) => ({ type: 'string', default: value }) as const
const options = {
  minutes: number('1'),
  bodies: number('1000'),
  connections: number('3000'),
  rejudges: number('1000'),
  rate: number('200'),
} as const
const { values } = parseArgs({ options, strict: true })
const load = {
  bodies: Number(values.bodies),
  connections: Number(values.connections),
  rejudges: Number(values.rejudges),
  rate: Number(values.rate),
}
const GOAL_P99_MS = 2000
/** Between the second third of the time and the last: the first one fills caches and pools. */
const MOST_GROWTH = 1.15

function memoryVerdict(resident: readonly number[]): { readonly value: string; readonly note: string } {
  const third = Math.floor(resident.length / 3)
  if (third < 2) return { value: '', note: 'NOT JUDGED: too short' }
  const growth = median(resident.slice(-third)) / median(resident.slice(third, 2 * third))
  return { value: `× ${growth.toFixed(2)}`, note: growth <= MOST_GROWTH ? 'flat' : 'GROWS' }
}

const data = mkdtempSync(path.join(tmpdir(), 'signalbox-api-load-'))
const database = await startTemporaryServer()
const cluster = await startClusterProcess()
const serve = await startServe(['--kubeconfig', cluster.kubeconfig, '--data', data], database.connectionString)
const { pool, close } = openPostgresStore(database.connectionString)
try {
  const forMs = Number(values.minutes) * 60_000
  const plan = { cluster, serve, pool, load, deathsPerSecond: 20, stored: 1000, forMs, patienceMs: 120_000 }
  const { died, lost, storedP50, storedP99, storedMost, resident, answers } = await loadApi(plan)
  const isQuick = storedP99 < GOAL_P99_MS
  printSection({
    title: `${values.minutes} min: ${load.bodies} slow bodies, ${load.connections} connections, ${load.rejudges} rejudges, ${load.rate} requests a second`,
    rows: [
      {
        what: 'deaths, not stored',
        value: `${died}, ${lost}`,
        note: lost === 0 ? 'none lost' : `NOT STORED ${plan.patienceMs / 1000} s after the last one`,
      },
      { what: 'from end to stored, p50', value: `${storedP50} ms`, note: `most ${storedMost} ms` },
      {
        what: 'from end to stored, p99',
        value: `${storedP99} ms`,
        note: isQuick ? `below ${GOAL_P99_MS} ms` : `NOT BELOW ${GOAL_P99_MS} ms`,
      },
      { what: 'resident memory, last third to the one before', ...memoryVerdict(resident) },
      { what: 'resident memory every 10 s, in MB', value: `${resident.at(-1)}`, note: resident.join(' ') },
      { what: 'signalbox serve', value: `${readCost(serve.pid).cpuSeconds.toFixed(0)} s`, note: 'of CPU' },
      { what: 'load of the machine', value: (loadavg()[0] ?? 0).toFixed(1), note: `${availableParallelism()} cores` },
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
