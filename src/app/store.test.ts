import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import type { Config } from '#/config/config.ts'
import { Secret } from '#/core/basics/secret.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { deathRecord } from '#test/contracts/store-builders.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { openStore, openStoreWatch } from './store.ts'

const { connectionString } = await testDatabase()
const NEVER = new AbortController().signal
/** More than all connections of the store. */
const CALLERS = 100

it('callers of the API that use all their connections delay neither the recorder nor readiness', async () => {
  // The store reads nothing else of the configuration.
  const databaseUrl = new Secret('database-url', connectionString)
  const config = { databaseUrl, data: '/nonexistent', postgres: { binaries: 'bundled' } } as Config
  const part = await openStore({ config, clock: systemClock, notice: () => {} }, NEVER)
  onTestFinished(part.dispose)
  const locker = new Client({ connectionString })
  await locker.connect()
  await locker.query('begin; lock table verdicts in access exclusive mode')
  const callers = Array.from({ length: CALLERS }, () =>
    part.forApi.deaths.history('a').then(
      () => 'answered',
      () => 'late',
    ),
  )
  await part.forRecorder.deaths.record(deathRecord('a'), [])
  expect((await part.store.deaths.get('a'))?.death.uid).toBe('a')
  expect(await part.readiness?.[0]?.check(NEVER)).toEqual({ ok: true })
  await locker.query('rollback')
  await locker.end()
  expect((await Promise.all(callers)).length).toBe(CALLERS)
})

it('the metrics show whether the database answers', async () => {
  const metrics = createMetrics()
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const state = { isUp: true }
  const ping = async (): Promise<void> => {
    if (!state.isUp) throw new Error('away')
  }
  const means = { metrics, log, clock: systemClock, config: {} as Config }
  const run = openStoreWatch(means, { ping }).replicaLoops?.[0]?.run
  await run?.(NEVER)
  expect(metrics.expose()).toContain('signalbox_store_up 1\n')
  state.isUp = false
  await run?.(NEVER)
  expect(metrics.expose()).toContain('signalbox_store_up 0\n')
})
