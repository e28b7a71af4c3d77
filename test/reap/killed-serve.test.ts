import { describe, expect, it } from 'vitest'
import { testDatabase } from '#test/postgres/test-database.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import type { Moment } from './ledger-proxy.ts'
import { APPLY, listAll, reap } from './run-reap.ts'
import { OFFLINE, serveFleet } from './served-fleet.ts'

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
const SAMPLE = new Set(['after 3', 'after 6', 'before 7'])
const KILLS = ALL.filter(({ moment, number }) => LONG_RUN || SAMPLE.has(`${moment} ${number}`))

/** A runner that was removed is removed for ever, so each needs a ledger of its own. */
const databases = await Promise.all([null, ...KILLS].map(() => testDatabase()))

/** The machine of the command may be up to five minutes from the server's clock: early, and later late enough to take over. */
const [EARLY_MS, LATE_MS] = [-200_000, 200_000]

async function setUp(database: string) {
  const served = await serveFleet(database)
  served.fleet.clock.aheadMs = EARLY_MS
  const args = ['--policy', 'offline', ...APPLY, '--server', served.proxy.url]
  return { ...served, run: async () => await reap(served.fleet, args) }
}

describe('reap --apply with the ledger of serve', () => {
  it('writes what the kills below are between', TIMEOUT, async () => {
    const { proxy, run, ledger, fleet } = await setUp(databases[0]?.connectionString ?? '')
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
      const { fleet, serve, proxy, run, ledger, startAgain } = await setUp(database?.connectionString ?? '')
      let wasKilled = false
      proxy.onWrite = async (now, count) => {
        if (wasKilled || now !== moment || count !== number) return
        wasKilled = true
        proxy.target = null
        await serve.stop('SIGKILL')
      }
      const first = await run()
      expect(wasKilled).toBe(true)
      // It was not sure of its ledger any more, so it says so and ends.
      expect(first.code).toBe(3)
      expect(first.stderr).not.toMatch(/ at .*\.ts:\d/)

      await startAgain()
      fleet.clock.aheadMs = LATE_MS
      await run()
      expect(fleet.api.removed).toEqual([OFFLINE])
      expect(fleet.sim.world.runner(fleet.ids.get(OFFLINE) ?? 0)).toBeUndefined()
      const rows = await listAll(ledger)
      expect(rows.map(({ outcome }) => outcome)).toEqual(['done'])
      expect(rows[0]?.evidence).toEqual(expect.any(String))
    },
  )
})
