import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '#test/postgres/test-database.ts'
import { sampled } from '#test/tiers/long-run.ts'
import { killAt } from './kill-reap.ts'
import type { Moment } from './ledger-proxy.ts'
import { APPLY, listAll, reap } from './run-reap.ts'
import { OFFLINE, serveFleet } from './served-fleet.ts'

const TIMEOUT = { timeout: 240_000 }

type Kill = {
  readonly title: string
  readonly moment: Moment
  /** Of the write at which it is held. */
  readonly number: number
  /** The last step in its row. */
  readonly step: string
}

const ALL: readonly Kill[] = [
  { title: 'after it began, before the first step', moment: 'after', number: 1, step: 'planned' },
  { title: 'after its evidence is durable', moment: 'after', number: 3, step: 'storing-evidence' },
  { title: 'after the last proof, before the removal', moment: 'after', number: 6, step: 'removing' },
  { title: 'after the removal, before it is written', moment: 'before', number: 7, step: 'removing' },
]
const KILLS = sampled(ALL, 2)
/** A runner that was removed is removed for ever, so each needs a ledger of its own. */
const databases = await Promise.all(KILLS.map(() => testDatabase()))

/** An attempt is nobody's after five minutes, and the server allows a clock that is five minutes ahead: a little less. */
const AHEAD_MS = 295_000
const ABANDONED_MS = 300_000

describe('kill -9 of reap --apply with the ledger of serve', () => {
  it.each(KILLS.map((one, index) => Object.assign({ database: databases[index]?.connectionString ?? '' }, one)))(
    '$title: the next run finishes it, and nothing is done twice',
    TIMEOUT,
    async ({ moment, number, step, database }) => {
      const { fleet, proxy, ledger } = await serveFleet(database)
      const args = ['--policy', 'offline', ...APPLY, '--server', proxy.url]
      await killAt(fleet, {
        args,
        place: (hold) => {
          proxy.onWrite = async (now, count) => {
            if (now === moment && count === number) await hold(`${now} write ${count}`)
          }
        },
      })
      const [left] = await listAll(ledger)
      expect([left?.outcome, left?.steps.at(-1)?.step]).toEqual(['planned', step])

      proxy.onWrite = async () => undefined
      const last = left?.steps.at(-1)?.at ?? 0
      fleet.clock.aheadMs = AHEAD_MS
      while (fleet.clock.now() - last <= ABANDONED_MS) await sleep(100)
      const { code, answer } = await reap(fleet, args)
      expect([code, answer?.candidates.map(({ decision }) => decision)]).toEqual([0, ['removed']])
      expect(fleet.api.removed).toEqual([OFFLINE])
      expect(fleet.sim.world.runner(fleet.ids.get(OFFLINE) ?? 0)).toBeUndefined()
      const rows = await listAll(ledger)
      expect(rows.map(({ outcome }) => outcome)).toEqual(['done'])
      expect(rows[0]?.evidence).toEqual(expect.any(String))
    },
  )
})
