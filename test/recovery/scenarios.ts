import { describe, expect, it } from 'vitest'
import { record } from '#/runtime/dispatch/record.ts'
import { loopScenarios } from './loop-scenarios.ts'
import { startRig } from './rig.ts'
import type { LedStore, Rig } from './rig.ts'

const MINUTE = 60_000

/** The same on every store: reports 002 and 004, in their own words. */
export function recoveryScenarios(name: string, open: () => Promise<LedStore>): void {
  const start = async (): Promise<Rig> => await startRig(await open())
  describe(`recovery on ${name}: report 002, a reaper that killed live runners`, () => {
    it('the JIT was served and the claim is released 46 s into the job: nothing happens to the job or its runner', async () => {
      await using rig = await start()
      const job = await rig.queueJob()
      await rig.addPod('a')
      await rig.claimJob(job, 'a')
      const { generation } = await rig.job(job)
      const runner = await rig.mint('a')
      rig.takeJob(runner.id)
      rig.clock.advance(46_000)
      // The release of the trailing error, decided on the claim as it was before the mint.
      const release = { kind: 'job-returned', at: rig.clock.now(), job: { id: job, generation }, slot: 'a' } as const
      expect(await record(rig.store.assignments, { ...release, reason: 'claim-stale' })).toEqual({ kind: 'unchanged' })
      for (let minute = 0; minute < 60; minute += 1) {
        rig.clock.advance(MINUTE)
        await rig.runAll()
      }
      expect(await rig.job(job)).toMatchObject({ state: 'executing', runner: { id: runner.id } })
      expect(await rig.slot('a')).toMatchObject({ state: 'executing', executing: job })
      expect(rig.sim.world.runner(runner.id)?.job?.id).toBe(job)
      expect(await rig.ledger()).toEqual([])
    })

    it('a replica went after the claim and never minted: the job is back in the queue and the slot is warm', async () => {
      await using rig = await start()
      const job = await rig.queueJob()
      await rig.addPod('a')
      await rig.claimJob(job, 'a')
      rig.clock.advance(39_000)
      await rig.run('stale-claims')
      expect(await rig.job(job)).toMatchObject({ state: 'claimed' })
      rig.clock.advance(1_000)
      await rig.run('stale-claims')
      expect(await rig.job(job)).toMatchObject({ state: 'queued', recoveries: 1 })
      expect(await rig.slot('a')).toMatchObject({ state: 'warm' })
      expect(await rig.ledger()).toMatchObject([
        { act: 'release-claim', outcome: 'done', loop: 'stale-claims', actor: 'signalbox/stale-claims' },
      ])
    })

    it('the poller that never claims holds nothing, and no loop touches it', async () => {
      await using rig = await start()
      await rig.addPod('a')
      rig.clock.advance(3 * 60 * MINUTE)
      for (let round = 0; round < 5; round += 1) await rig.runAll()
      expect(await rig.slot('a')).toMatchObject({ state: 'warm' })
      expect(await rig.ledger()).toEqual([])
    })

    it('of a mixed batch only the wedged one is recovered', async () => {
      await using rig = await start()
      const working = await rig.dispatch('working')
      rig.takeJob(working.runner.id)
      const wedged = await rig.dispatch('wedged')
      rig.clock.advance(6 * MINUTE)
      const early = await rig.dispatch('early')
      await rig.runAll()
      expect(await rig.job(working.job)).toMatchObject({ state: 'executing', runner: { id: working.runner.id } })
      expect(await rig.job(wedged.job)).toMatchObject({ state: 'queued', recoveries: 1 })
      expect(await rig.job(early.job)).toMatchObject({ state: 'minted', slot: 'early' })
      expect((await rig.ledger()).map(({ act, subject }) => [act, subject.name])).toEqual([
        ['deregister-runner', wedged.runner.name],
        ['return-job', String(wedged.job)],
      ])
    })
  })
  reportFour(name, start)
  loopScenarios(name, open)
}

function reportFour(name: string, start: () => Promise<Rig>): void {
  describe(`recovery on ${name}: report 004, a node that starts nothing`, () => {
    it('GitHub still says queued: the job is back in the queue after five minutes, and its registration is gone', async () => {
      await using rig = await start()
      const { job, runner } = await rig.dispatch('a')
      rig.clock.advance(5 * MINUTE - 1)
      await rig.runAll()
      expect(await rig.job(job)).toMatchObject({ state: 'minted' })
      rig.clock.advance(1)
      await rig.run('unregistered-runners')
      expect(await rig.job(job)).toMatchObject({ state: 'queued', recoveries: 1 })
      expect(await rig.intended('a')).toBeNull()
      expect(rig.sim.world.runner(runner.id)).toBeUndefined()
      expect(rig.metrics.expose()).toContain(
        'signalbox_recoveries_total{loop="unregistered-runners",outcome="returned"} 1',
      )
      expect(rig.metrics.expose()).toContain('signalbox_stranded_seconds_sum{loop="unregistered-runners"} 300')
    })

    it('its pod is known to have gone: the job is back within one round', async () => {
      await using rig = await start()
      const { job } = await rig.dispatch('a')
      rig.clock.advance(2_000)
      await rig.endPod('a')
      rig.clock.advance(5_000)
      await rig.run('unregistered-runners')
      expect(await rig.job(job)).toMatchObject({ state: 'queued', recoveries: 1 })
      expect(rig.metrics.expose()).toContain('signalbox_stranded_seconds_sum{loop="unregistered-runners"} 5')
    })

    it('the cluster shows that its pod has ended before anybody wrote it down: the job is back within one round', async () => {
      await using rig = await start()
      const { job } = await rig.dispatch('a')
      rig.cluster.end('a')
      await rig.run('unregistered-runners')
      expect(await rig.job(job)).toMatchObject({ state: 'queued' })
    })

    it('in_progress: a real build is left alone, also when its pod is gone, and the start is written down', async () => {
      await using rig = await start()
      const { job, runner } = await rig.dispatch('a')
      rig.takeJob(runner.id)
      await rig.endPod('a')
      await rig.run('unregistered-runners')
      expect(await rig.job(job)).toMatchObject({ state: 'executing', runner: { id: runner.id } })
      expect(rig.sim.world.runner(runner.id)).toBeDefined()
      expect(await rig.ledger()).toEqual([])
    })

    it('completed: the job is closed as GitHub ended it', async () => {
      await using rig = await start()
      const { job, runner } = await rig.dispatch('a')
      rig.takeJob(runner.id)
      rig.sim.world.completeJob(job)
      rig.clock.advance(5 * MINUTE)
      await rig.run('unregistered-runners')
      expect(await rig.job(job)).toMatchObject({ state: 'finished', conclusion: 'success' })
      expect(await rig.slot('a')).toMatchObject({ state: 'ended', executed: job })
    })

    it('502: it is left, and asked again', async () => {
      await using rig = await start()
      const { job } = await rig.dispatch('a')
      rig.clock.advance(5 * MINUTE)
      rig.sim.faults.add({ path: /\/actions\/jobs\//u, fault: { kind: 'answer', status: 502 }, times: 9 })
      await rig.run('unregistered-runners')
      expect(await rig.job(job)).toMatchObject({ state: 'minted' })
      expect(rig.metrics.expose()).toContain('outcome="blind"} 1')
      rig.sim.faults.clear()
      rig.clock.advance(MINUTE)
      await rig.run('unregistered-runners')
      expect(await rig.job(job)).toMatchObject({ state: 'queued' })
    })

    it('nothing to do: GitHub is not asked', async () => {
      await using rig = await start()
      for (const id of ['stale-claims', 'unregistered-runners', 'missing-pods', 'stale-queue', 'dead-runners'] as const)
        await rig.run(id)
      expect(rig.github.requests).toEqual([])
    })

    it('the runner is online and idle: it registered, and the slot is not taken from it', async () => {
      await using rig = await start()
      const { job, runner } = await rig.dispatch('a')
      rig.sim.world.runnerComesOnline(runner.id)
      rig.clock.advance(5 * MINUTE)
      await rig.run('unregistered-runners')
      expect(await rig.slot('a')).toMatchObject({ state: 'registered', intended: job })
      expect(await rig.job(job)).toMatchObject({ state: 'minted' })
    })
  })
}
