import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { readMemory } from '#test/agent/imitated-node.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { auditLogEvent } from '#test/recorder/audit-log-event.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { untilSaid } from './outage.ts'
import { startSimulatedCluster } from './simulated-cluster.ts'

const { connectionString } = await testDatabase()
const COUNT = LONG_RUN ? 500 : 100
/** The limit of the chart. */
const LIMIT_MB = 1024
/** Of the log of each. */
const LOG_BYTES = '2026-11-16 07:00:00Z: Running job: build'.length
const PATIENCE = { timeout: 900_000, interval: 250 }
const ACTOR = 'system:serviceaccount:ci:reaper'

it(`${COUNT} runners that are deleted by force at once are all stored with their actor, in bounded memory`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-storm-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const auditLog = join(folder, 'audit.log')
  // It looks back to before the deaths.
  await writeFile(auditLog, `${JSON.stringify(auditLogEvent({ at: Date.now() - 60_000, verb: 'get' }))}\n`)
  const { pool, close } = openPostgresStore(connectionString)
  onTestFinished(close)
  const cluster = await startSimulatedCluster({ withLogs: true })
  onTestFinished(() => cluster[Symbol.asyncDispose]())
  const args = ['--kubeconfig', cluster.kubeconfig, '--data', folder, '--audit-log', auditLog]
  const serve = await startServe(args, connectionString)
  onTestFinished(() => serve.stop('SIGKILL'))
  await untilSaid(serve, 'watching runner pods')
  const names = Array.from({ length: COUNT }, (_, index) => `storm-${index}`)
  for (const name of names) cluster.start(name)
  await vi.waitFor(async () => {
    const text = await (await fetch(`${serve.url}/metrics`)).text()
    // Each works, and the recorder has read it.
    const held = /^signalbox_recorder_held_bytes\{of="logs"\} (\d+)$/m.exec(text)?.[1]
    expect(Number(held)).toBeGreaterThanOrEqual(COUNT * LOG_BYTES)
  }, PATIENCE)

  const idle = readMemory(serve.pid).now
  const since = performance.now()
  for (const name of names) cluster.force(name)
  const event = (pod: string): object =>
    auditLogEvent({
      at: Date.now(),
      pod,
      requestObject: { gracePeriodSeconds: 0, preconditions: { uid: `uid-${pod}` } },
    })
  await appendFile(auditLog, names.map((name) => `${JSON.stringify(event(name))}\n`).join(''))
  const read = async () => {
    const { rows } = await pool.query<{ found: string; deaths: string }>(
      `select coalesce(cause, 'not judged') || ' ' || coalesce(verdict ->> 'actor', 'nobody') as found, count(*) as deaths
       from postmortems where pod like 'storm-%' group by 1 order by 1`,
    )
    return rows.map(({ found, deaths }) => `${deaths} ${found}`)
  }
  await vi.waitFor(async () => expect((await read()).join()).not.toMatch(/^$|not judged/), PATIENCE)
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  const { now, peak } = readMemory(serve.pid)
  process.stderr.write(
    `storm of ${COUNT}: judged after ${seconds} s; ${idle} MB before, ${peak} MB at most, ${now} MB after\n`,
  )
  expect(await read()).toEqual([`${COUNT} force-deleted ${ACTOR}`])
  expect(peak).toBeLessThan(LIMIT_MB)
}, 2_000_000)
