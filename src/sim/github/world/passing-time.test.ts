import { describe, expect, it } from 'vitest'
import type { CheckedSim } from '#test/github/checked-sim.ts'
import { createCheckedSim } from '#test/github/checked-sim.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

describe('a runner that vanishes', () => {
  it('loses its job ten minutes later: failed, annotated, the step open and no log', () => {
    const checked = createCheckedSim()
    const { sim, clock } = checked
    const { job, runner } = executing(checked)
    sim.world.runnerVanishes(runner)
    clock.advance(10 * MINUTE - 1)
    sim.world.passTime()
    expect(sim.world.job(job)?.status).toBe('in_progress')
    expect(sim.world.runner(runner)?.job?.id).toBe(job)
    clock.advance(1)
    sim.world.passTime()
    const lost = sim.world.job(job)
    expect(lost).toMatchObject({ status: 'completed', conclusion: 'failure', log: null, steps: [{ conclusion: null }] })
    expect(lost?.annotations[0]?.message).toContain('The self-hosted runner: r1 lost communication with the server.')
    expect(sim.world.runner(runner)).toBeUndefined()
    expect(sim.world.run(lost!.run)).toMatchObject({ status: 'completed', conclusion: 'failure' })
  })

  it('keeps its job when it comes back in time', () => {
    const checked = createCheckedSim()
    const { sim, clock } = checked
    const { job, runner } = executing(checked)
    sim.world.runnerVanishes(runner)
    clock.advance(9 * MINUTE)
    sim.world.runnerComesOnline(runner)
    clock.advance(DAY)
    sim.world.passTime()
    expect(sim.world.job(job)?.status).toBe('in_progress')
  })

  it('gives back a job that it had not picked up', () => {
    const checked = createCheckedSim()
    const { sim, clock } = checked
    const runner = online(checked)
    const job = sim.world.queueJob({ repository: 'acme/api', labels: [] })
    sim.world.assign()
    sim.world.runnerVanishes(runner)
    clock.advance(MINUTE)
    sim.world.passTime()
    expect(sim.world.job(job.id)?.status).toBe('queued')
    sim.world.runnerComesOnline(runner)
    expect(sim.world.assign()).toHaveLength(1)
  })

  it('is forgotten after a day when it is ephemeral', () => {
    const checked = createCheckedSim()
    const { sim, clock } = checked
    const runner = online(checked)
    sim.world.runnerVanishes(runner)
    clock.advance(DAY - 1)
    sim.world.passTime()
    expect(sim.world.runner(runner)).toBeDefined()
    clock.advance(1)
    sim.world.passTime()
    expect(sim.world.runner(runner)).toBeUndefined()
  })
})

describe('a job that nobody takes', () => {
  it('fails after a day', () => {
    const { sim, clock } = createCheckedSim()
    const job = sim.world.queueJob({ repository: 'acme/api', labels: [] })
    clock.advance(DAY)
    sim.world.passTime()
    expect(sim.world.job(job.id)?.status).toBe('queued')
    clock.advance(1)
    sim.world.passTime()
    expect(sim.world.job(job.id)).toMatchObject({ status: 'completed', conclusion: 'failure', runner: null })
  })
})

describe('the end of a job', () => {
  it('removes an ephemeral runner and frees any other', () => {
    const checked = createCheckedSim()
    const { sim } = checked
    const ephemeral = executing(checked)
    sim.world.completeJob(ephemeral.job)
    expect(sim.world.runner(ephemeral.runner)).toBeUndefined()
    const lasting = executing(checked, { ephemeral: false })
    sim.world.completeJob(lasting.job)
    expect(sim.world.runner(lasting.runner)).toMatchObject({ online: true, job: null })
  })

  it('cannot come twice, nor a start without a runner', () => {
    const checked = createCheckedSim()
    const { job } = executing(checked)
    const { world } = checked.sim
    world.completeJob(job)
    const queued = world.queueJob({ repository: 'acme/api', labels: [] })
    for (const misuse of [() => world.completeJob(job), () => world.startJob(queued.id), () => world.completeJob(1)]) {
      expect(misuse).toThrow(expect.objectContaining({ code: 'SIM_MISUSE' }))
    }
  })
})

describe('the seed', () => {
  it('decides everything that GitHub makes up', () => {
    const history = (seed: number): unknown => {
      const checked = createCheckedSim({ seed, rules: { order: 'any' } })
      for (let index = 0; index < 5; index += 1) checked.sim.world.queueJob({ repository: 'acme/api', labels: [] })
      online(checked)
      return [checked.sim.world.assign(), checked.sim.world.jobs(), checked.sim.installationToken('acme')]
    }
    expect(history(7)).toEqual(history(7))
    expect(history(7)).not.toEqual(history(8))
  })
})

function online({ sim }: CheckedSim, change: { readonly ephemeral?: boolean } = {}): number {
  const outcome = sim.world.registerRunner({
    name: 'r1',
    labels: [],
    scope: { kind: 'organization', login: 'acme' },
    ephemeral: true,
    ...change,
  })
  if (outcome.kind !== 'registered') throw new Error(outcome.kind)
  return sim.world.runnerComesOnline(outcome.runner.id).id
}

function executing(
  checked: CheckedSim,
  change: { readonly ephemeral?: boolean } = {},
): { readonly job: number; readonly runner: number } {
  const { world } = checked.sim
  const job = world.queueJob({ repository: 'acme/api', labels: [] })
  const runner = online(checked, change)
  world.assign()
  world.startJob(job.id)
  return { job: job.id, runner }
}
