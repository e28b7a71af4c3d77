import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { testDatabase } from '#test/postgres/test-database.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { startLedgerProxy } from './ledger-proxy.ts'
import type { Moment } from './ledger-proxy.ts'
import { APPLY, listAll, reap } from './run-reap.ts'
import { startFleet } from './simulated-fleet.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

const OFFLINE = 'linux-x64-462sz-runner-2ltbc'
const TIMEOUT = { timeout: 240_000 }

/** What one removal writes, in this order; the first test compares. */
const WRITES = [
  'attempts',
  'attempts/N/steps',
  'evidence',
  'attempts/N/steps',
  'attempts/N/steps',
  'attempts/N/steps',
  'attempts/N/end',
]
const STEPS = ['begin', 'storing-evidence', 'evidence', 'deregistering', 'proving-again', 'removing', 'end']

type Kill = { readonly moment: Moment; readonly number: number }
const ALL = STEPS.flatMap((_, index): readonly Kill[] => [
  { moment: 'before', number: index + 1 },
  { moment: 'after', number: index + 1 },
])
/** A fast run takes those between which most can go wrong. */
const SAMPLE = new Set(['after 1', 'before 3', 'after 3', 'after 6', 'before 7', 'after 7'])
const KILLS = ALL.filter(({ moment, number }) => LONG_RUN || SAMPLE.has(`${moment} ${number}`))

/** A runner that was removed is removed for ever, so each needs a ledger of its own. */
const databases = await Promise.all([null, ...KILLS].map(() => testDatabase()))

const running = new Set<ServeProcess>()
afterAll(async () => {
  for (const serve of running) await serve.stop('SIGKILL')
})

async function start(fleet: SimulatedFleet, database: string): Promise<ServeProcess> {
  const serve = await startServe(['--data', join(fleet.folder, 'serve')], database)
  running.add(serve)
  return serve
}

async function kill(serve: ServeProcess): Promise<void> {
  await serve.stop('SIGKILL')
  running.delete(serve)
}

/** The machine of the command may be up to five minutes from the server's clock: early, and later late enough to take over. */
const [EARLY_MS, LATE_MS] = [-200_000, 200_000]

async function setUp(database: string) {
  const fleet = await startFleet()
  fleet.sim.world.runnerVanishes(fleet.ids.get(OFFLINE) ?? 0)
  fleet.clock.aheadMs = EARLY_MS
  const store = openPostgresStore(database)
  onTestFinished(store.close)
  const serve = await start(fleet, database)
  const proxy = await startLedgerProxy(serve.url)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const run = async () => await reap(fleet, ['--policy', 'offline', ...APPLY, '--server', proxy.url])
  return { fleet, serve, proxy, run, ledger: store.store.ledger }
}

describe('reap --apply with the ledger of serve', () => {
  it('writes what the kills below are between', TIMEOUT, async () => {
    const { serve, proxy, run, ledger, fleet } = await setUp(databases[0]?.connectionString ?? '')
    const { code, answer } = await run()
    expect([code, answer?.candidates.map(({ decision }) => decision)]).toEqual([0, ['removed']])
    expect(
      proxy.writes.map((path) => path.replace(/\/v1\/(?:ledger\/)?/u, '').replace('evidence/N', 'evidence')),
    ).toEqual(WRITES)
    const [row] = await listAll(ledger)
    expect(row?.steps.map(({ step }) => step)).toEqual([
      'planned',
      ...STEPS.filter((step) => step !== 'begin' && step !== 'evidence' && step !== 'end'),
      'done',
    ])
    expect(fleet.api.removed).toEqual([OFFLINE])
    await kill(serve)
  })

  it.each(
    KILLS.map((one, index) => ({
      moment: one.moment,
      number: one.number,
      step: STEPS[one.number - 1],
      database: databases[index + 1],
    })),
  )(
    'kill -9 of serve $moment the write of $step: after its restart the next run finishes it, and nothing is done twice',
    TIMEOUT,
    async ({ moment, number, database }) => {
      const place = database?.connectionString ?? ''
      const { fleet, serve, proxy, run, ledger } = await setUp(place)
      let wasKilled = false
      proxy.onWrite = async (now, count) => {
        if (wasKilled || now !== moment || count !== number) return
        wasKilled = true
        proxy.target = null
        await kill(serve)
      }
      const first = await run()
      expect(wasKilled).toBe(true)
      // It was not sure of its ledger any more, so it says so and ends.
      expect(first.code).toBe(3)
      expect(first.stderr).not.toMatch(/ at .*\.ts:\d/)

      const again = await start(fleet, place)
      proxy.target = again.url
      fleet.clock.aheadMs = LATE_MS
      await run()
      expect(fleet.api.removed).toEqual([OFFLINE])
      expect(fleet.sim.world.runner(fleet.ids.get(OFFLINE) ?? 0)).toBeUndefined()
      const rows = await listAll(ledger)
      expect(rows.map(({ outcome }) => outcome)).toEqual(['done'])
      expect(rows[0]?.evidence).toEqual(expect.any(String))
      await kill(again)
    },
  )
})
