import { describe, expect, it } from 'vitest'
import { isParked, MOST_RECOVERIES } from '#/core/dispatch/job.ts'
import { record } from '#/runtime/dispatch/record.ts'
import { startRig } from './rig.ts'
import type { LedStore, Rig } from './rig.ts'

const MINUTE = 60_000

/** What each loop does besides the reports, on every store. */
export function loopScenarios(name: string, open: () => Promise<LedStore>): void {
  const start = async (): Promise<Rig> => await startRig(await open())
  describe(`recovery on ${name}`, () => {
    it('a slot is lost when its pod is missing in two complete reads and the API server has none', async () => {
      await using rig = await start()
      await rig.addPod('stays')
      await rig.addPod('goes')
      rig.clock.advance(MINUTE)
      rig.cluster.remove('goes')
      await rig.run('missing-pods')
      rig.cluster.setBlind(true)
      rig.clock.advance(MINUTE)
      await rig.run('missing-pods')
      rig.cluster.setBlind(false)
      await rig.run('missing-pods')
      expect(await rig.slot('goes')).toMatchObject({ state: 'warm' })
      rig.clock.advance(30_000)
      await rig.run('missing-pods')
      expect(await rig.slot('goes')).toMatchObject({ state: 'lost' })
      expect(await rig.slot('stays')).toMatchObject({ state: 'warm' })
    })

    it('a list of pods that was not empty and is, is not believed for ten minutes', async () => {
      await using rig = await start()
      await rig.addPod('a')
      rig.clock.advance(MINUTE)
      rig.cluster.remove('a')
      for (let minute = 0; minute < 10; minute += 1) {
        await rig.run('missing-pods')
        expect(await rig.slot('a')).toMatchObject({ state: 'warm' })
        rig.clock.advance(MINUTE)
      }
      await rig.run('missing-pods')
      expect(await rig.slot('a')).toMatchObject({ state: 'lost' })
    })

    it('a run that ended with startup_failure leaves its job queued for ever: the job is closed', async () => {
      await using rig = await start()
      const [failed, waits] = [await rig.queueJob(), await rig.queueJob()]
      rig.conclusions.set((await rig.job(failed)).runId, 'startup_failure')
      rig.clock.advance(30 * MINUTE)
      await rig.run('stale-queue')
      expect(await rig.job(failed)).toMatchObject({ state: 'finished', conclusion: 'startup_failure' })
      expect(await rig.job(waits)).toMatchObject({ state: 'queued' })
      const before = rig.github.requests.length
      await rig.run('stale-queue')
      expect(rig.github.requests.length).toBe(before)
    })

    it('a registration that was minted and never written down is removed after ten minutes offline', async () => {
      await using rig = await start()
      await rig.addPod('a')
      const left = await rig.mintAtGitHub('a', 'deadbeef')
      const foreign = rig.sim.world.registerRunner({
        name: 'build-box-0123abcd',
        labels: ['linux'],
        scope: { kind: 'repository', fullName: 'acme/api' },
      })
      await rig.run('idle-registrations')
      rig.clock.advance(10 * MINUTE - 1)
      await rig.run('idle-registrations')
      expect(rig.sim.world.runner(left.id)).toBeDefined()
      rig.clock.advance(1)
      await rig.run('idle-registrations')
      expect(rig.sim.world.runner(left.id)).toBeUndefined()
      expect(foreign.kind === 'registered' && rig.sim.world.runner(foreign.runner.id)).toBeDefined()
      expect(await rig.ledger()).toMatchObject([
        { act: 'deregister-runner', outcome: 'done', subject: { name: left.name } },
      ])
    })

    it('a registration is kept that gets a job between the list and the removal', async () => {
      await using rig = await start()
      await rig.addPod('a')
      const runner = await rig.mintAtGitHub('a', 'deadbeef')
      await rig.run('idle-registrations')
      rig.clock.advance(10 * MINUTE)
      await rig.queueJob()
      rig.sim.faults.add({
        method: 'DELETE',
        fault: { kind: 'meanwhile', happens: () => rig.takeJob(runner.id) },
      })
      await rig.run('idle-registrations')
      expect(rig.sim.world.runner(runner.id)?.job).not.toBeNull()
      expect(await rig.ledger()).toMatchObject([{ outcome: 'refused', decidedBy: 'github-deregistered' }])
    })

    it('a runner that comes online while its job is being returned is not removed', async () => {
      await using rig = await start()
      const { job, runner } = await rig.dispatch('a')
      rig.clock.advance(5 * MINUTE)
      const happens = (): void => void rig.sim.world.runnerComesOnline(runner.id)
      rig.sim.faults.add({ path: /\/runners\/\d+$/u, fault: { kind: 'meanwhile', happens } })
      await rig.run('unregistered-runners')
      expect(await rig.job(job)).toMatchObject({ state: 'queued' })
      expect(rig.sim.world.runner(runner.id)).toMatchObject({ online: true })
      expect((await rig.ledger())[0]).toMatchObject({ act: 'deregister-runner', outcome: 'refused' })
    })

    it('a runner without its pod that gets a job while it is being removed is read again, and kept', async () => {
      await using rig = await start()
      const { runner } = await rig.dispatch('a')
      await rig.endPod('a')
      const happens = (): void => rig.takeJob(runner.id)
      rig.sim.faults.add({ path: /\/runners\/\d+$/u, fault: { kind: 'meanwhile', happens } })
      await rig.run('unregistered-runners')
      expect(rig.sim.world.runner(runner.id)?.job).not.toBeNull()
      expect((await rig.ledger())[0]).toMatchObject({ act: 'deregister-runner', decidedBy: 'read-again' })
    })

    it('of sixty jobs whose pods went at once all are back after three rounds, with one question each and one list a round', async () => {
      await using rig = await start()
      const jobs: number[] = []
      for (let index = 0; index < 60; index += 1) {
        const { job } = await rig.dispatch(`a${index}`)
        jobs.push(job)
        await rig.endPod(`a${index}`)
      }
      const before = rig.github.requests.length
      for (let round = 0; round < 3; round += 1) {
        await rig.run('unregistered-runners')
        rig.clock.advance(5_000)
      }
      for (const job of jobs) expect(await rig.job(job)).toMatchObject({ state: 'queued', recoveries: 1 })
      const asked = rig.github.requests.slice(before)
      expect(asked.filter((request) => request.includes('/actions/jobs/'))).toHaveLength(60)
      expect(asked.filter((request) => /GET .*\/actions\/runners\?/u.test(request)).length).toBeLessThanOrEqual(3)
      expect(asked.filter((request) => request.startsWith('DELETE'))).toHaveLength(60)
    })

    it('nothing is asked where little is left of the budget, and nothing is concluded from that', async () => {
      await using rig = await start()
      const { job } = await rig.dispatch('a')
      const budget = { credential: 'installation 1', resource: 'core', limit: 5000, remaining: 499, source: 'headers' }
      const budgets = () => [
        { ...budget, source: 'headers' as const, resetAt: rig.clock.now() + MINUTE, heldUntil: null },
      ]
      const { github } = rig.means()
      await rig.restart({}, { github: { ...github, access: { budgets } } })
      rig.clock.advance(5 * MINUTE)
      const before = rig.github.requests.length
      await rig.runAll()
      expect(rig.github.requests.length).toBe(before)
      expect(await rig.job(job)).toMatchObject({ state: 'minted' })
    })

    it('an executing job whose pod is gone is closed when GitHub gave its runner up', async () => {
      await using rig = await start()
      const { job, runner } = await rig.dispatch('a')
      rig.takeJob(runner.id)
      await rig.endPod('a')
      await rig.run('unregistered-runners')
      rig.clock.advance(MINUTE)
      await rig.run('dead-runners')
      expect(await rig.job(job)).toMatchObject({ state: 'executing' })
      rig.sim.world.completeJob(job, { conclusion: 'failure' })
      rig.clock.advance(2 * MINUTE)
      await rig.run('dead-runners')
      expect(await rig.job(job)).toMatchObject({ state: 'finished', conclusion: 'failure' })
    })

    it('a job that comes back too often is parked with its reason, and a retry puts it back', async () => {
      await using rig = await start()
      const job = await rig.queueJob()
      for (let time = 1; time <= MOST_RECOVERIES; time += 1) {
        rig.clock.advance(11 * MINUTE)
        await rig.addPod(`a${time}`)
        await rig.claimJob(job, `a${time}`)
        rig.clock.advance(MINUTE)
        await rig.run('stale-claims')
      }
      const parked = await rig.job(job)
      expect(isParked(parked)).toBe(true)
      expect((await rig.ledger())[0]?.why).toContain(`signalbox jobs retry ${job}`)
      expect((await rig.store.assignments.history(job)).at(-1)?.event).toMatchObject({ reason: 'claim-stale' })
      await record(rig.store.assignments, { kind: 'job-retried', at: rig.clock.now(), job: parked })
      await rig.addPod('b')
      await rig.claimJob(job, 'b')
      expect(await rig.job(job)).toMatchObject({ state: 'claimed', recoveries: 0 })
    })

    it('a dry run names what would be done and does nothing', async () => {
      await using rig = await start()
      const { job } = await rig.dispatch('a')
      rig.clock.advance(5 * MINUTE)
      const reports = await rig.dryRun()
      const found = reports.flatMap(({ loop, candidates }) => candidates.map(({ act }) => [loop, act]))
      expect(found).toEqual([['unregistered-runners', 'return-job']])
      expect(await rig.job(job)).toMatchObject({ state: 'minted' })
      expect(await rig.ledger()).toEqual([])
    })

    it('a leader that was replaced changes nothing', async () => {
      const led = await open()
      await using rig = await startRig(led)
      const job = await rig.queueJob()
      await rig.addPod('a')
      await rig.claimJob(job, 'a')
      rig.clock.advance(MINUTE)
      await led.lead()
      await expect(rig.run('stale-claims')).rejects.toThrow('another server leads')
      expect(await rig.job(job)).toMatchObject({ state: 'claimed' })
    })

    it('a loop that is switched off does not run', async () => {
      await using rig = await start()
      const job = await rig.queueJob()
      await rig.addPod('a')
      await rig.claimJob(job, 'a')
      rig.clock.advance(MINUTE)
      await rig.restart({}, { disabled: new Set(['stale-claims'] as const) })
      await rig.runAll()
      expect(await rig.job(job)).toMatchObject({ state: 'claimed' })
    })
  })
}
