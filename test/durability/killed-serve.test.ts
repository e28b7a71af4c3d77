import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { hasRootFor } from '#test/postgres/has-root-for.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { killRounds } from './kill-rounds.ts'
import type { Trouble } from './kill-rounds.ts'
import { startSimulatedCluster } from './simulated-cluster.ts'
import { mountSmallDisk } from './small-disk.ts'

/** A hundred of each take an hour: SIGNALBOX_TEST_KILLS=100 npm run test:long. */
const KILLS = Number(process.env['SIGNALBOX_TEST_KILLS'] ?? (LONG_RUN ? 4 : 1))
const SEED = Number(process.env['SIGNALBOX_TEST_SEED'] ?? Date.now() % 1_000_000)
const TIMEOUT = { timeout: 400_000 + KILLS * 120_000 }

const { connectionString } = await testDatabase()
const { pool, close } = openPostgresStore(connectionString)
afterAll(close)

const cleanups: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-killed-'))
  cleanups.push(() => rm(folder, { recursive: true }))
  return folder
}

async function smallDisk(): Promise<string> {
  const disk = await mountSmallDisk(await newFolder())
  cleanups.push(() => disk[Symbol.asyncDispose]())
  return disk.path
}

async function expectNoneMissing(data: string, troubles: readonly Trouble[]): Promise<void> {
  await using cluster = await startSimulatedCluster()
  const report = await killRounds({ cluster, connectionString, pool, data, rounds: KILLS, seed: SEED, troubles })
  process.stderr.write(`killed serve, seed ${SEED}, ${troubles.join()}: ${JSON.stringify(report)}\n`)
  expect(report.reported).toBeGreaterThan(0)
  const { missing } = report
  const isTroubled = troubles.some((trouble) => trouble !== 'none')
  // A start that cannot ask the store does not know what was reported, and would rather repeat than lose it.
  const repeated = isTroubled ? [] : report.repeated
  expect({ seed: SEED, missing, repeated }).toEqual({ seed: SEED, missing: [], repeated: [] })
  if (isTroubled && KILLS >= troubles.length) expect(report.withSpool).toBeGreaterThan(0)
}

describe('everything that serve reported before kill -9 is stored after its next start, and reported once where the store answers', () => {
  it('with a healthy store', TIMEOUT, async () => {
    await expectNoneMissing(await newFolder(), ['none'])
  })

  it('with a store that goes silent or refuses', TIMEOUT, async () => {
    await expectNoneMissing(await newFolder(), ['store-silent', 'store-refuses'])
  })

  it.runIf(hasRootFor('kill -9 with a full disk'))('with a full disk, and the store away', TIMEOUT, async () => {
    await expectNoneMissing(await smallDisk(), ['store-silent', 'store-refuses', 'none'])
  })
})
