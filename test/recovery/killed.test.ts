import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import type { LoopId } from '#/core/recovery/recovery.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { startRig } from './rig.ts'
import type { Between, Rig } from './rig.ts'

/** More calls than any of the loops makes. */
const MOST_CALLS = 20

type Killing = { readonly between: Between; readonly wasKilled: () => boolean }

/** The process ends at the n-th call of the store, before or after the store did it; no call of it ever returns. */
function killAt(call: number, when: 'before' | 'after'): Killing {
  let calls = 0
  let killed = false
  const guard = <A extends readonly unknown[], R>(real: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (killed) throw new Error('killed')
      calls += 1
      if (calls !== call) return await real(...args)
      if (when === 'after') await real(...args)
      killed = true
      throw new Error('killed')
    }
  }
  const ledger = (real: Ledger): Ledger => ({
    begin: guard(real.begin),
    advance: guard(real.advance),
    end: guard(real.end),
    record: guard(real.record),
    list: guard(real.list),
  })
  const assignments = (real: Assignments): Assignments => ({
    ...real,
    commit: guard(real.commit),
    jobs: guard(real.jobs),
  })
  return { between: { ledger, assignments }, wasKilled: () => killed }
}

type Case = {
  readonly loop: LoopId
  readonly begin: (rig: Rig) => Promise<number>
  readonly state: 'queued' | 'finished'
}

const CASES: readonly Case[] = [
  {
    loop: 'stale-claims',
    state: 'queued',
    begin: async (rig) => {
      const job = await rig.queueJob()
      await rig.addPod('a')
      await rig.claimJob(job, 'a')
      rig.clock.advance(60_000)
      return job
    },
  },
  {
    loop: 'unregistered-runners',
    state: 'queued',
    begin: async (rig) => {
      const { job } = await rig.dispatch('a')
      rig.clock.advance(300_000)
      return job
    },
  },
  {
    loop: 'stale-queue',
    state: 'finished',
    begin: async (rig) => {
      const job = await rig.queueJob()
      rig.sim.world.completeJob(job, { conclusion: 'cancelled' })
      rig.clock.advance(30 * 60_000)
      return job
    },
  },
]

describe.each(CASES)('a process that is killed in the middle of $loop', ({ loop, begin, state }) => {
  it.each(['before', 'after'] as const)(
    '%s any call of the store leaves what the next one finishes, once',
    async (when) => {
      let kills = 0
      for (let call = 1; call <= MOST_CALLS; call += 1) {
        await using rig = await startRig(openMemoryStore())
        const job = await begin(rig)
        const { between, wasKilled } = killAt(call, when)
        await rig.restart(between)
        await rig.run(loop).catch(() => undefined)
        if (!wasKilled()) break
        kills += 1
        for (let round = 0; round < 3; round += 1) {
          rig.clock.advance(120_000)
          if (round === 0) await rig.restart()
          await rig.run(loop)
        }
        const history = await rig.store.assignments.history(job)
        expect([call, (await rig.job(job)).state]).toEqual([call, state])
        const effects = history.filter(({ event }) => event.kind === 'returned' || event.kind === 'completed')
        expect([call, effects.length]).toEqual([call, 1])
        const rows = (await rig.ledger()).filter(({ act }) => act !== 'deregister-runner')
        expect([call, rows.filter(({ outcome }) => outcome === 'planned')]).toEqual([call, []])
        expect([call, rows.filter(({ outcome }) => outcome === 'done').length]).toEqual([call, 1])
      }
      // List, jobs, begin, advance, commit, end.
      expect(kills).toBeGreaterThanOrEqual(6)
    },
  )
})
