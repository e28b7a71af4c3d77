import { afterEach, describe, expect, it } from 'vitest'
import { createRate } from '#/core/notify/rate.ts'
import { PLAN_OUTBOX, channelWorld } from '#test/notify/run-channel.ts'
import type { ChannelWorld, RunningChannel } from '#test/notify/run-channel.ts'
import { someDeath, someRow } from '#test/notify/some-death.ts'
import { steadyTime } from './steady-time.ts'

const running: RunningChannel[] = []
afterEach(() => {
  for (const channel of running.splice(0)) channel.kill()
})

async function begin(world: ChannelWorld, ...plan: Parameters<ChannelWorld['start']>): Promise<RunningChannel> {
  const channel = world.start(...plan)
  running.push(channel)
  await world.pass(1)
  return channel
}

const HOURS = 3_600_000
const ONE = 'arc/runner-a on node n7: node lost'

describe.each([
  ['two hours forward', 2 * HOURS],
  ['two hours back', -2 * HOURS],
])('a clock that is set %s', (_, byMs) => {
  it('sends what waits once, within a minute', async () => {
    const world = channelWorld()
    const channel = await begin(world)
    channel.notify(someDeath('a'))
    await world.pass(5)
    world.clock.set(byMs)
    await world.pass(40)
    expect(world.headlines()).toEqual([ONE])
    channel.notify(someDeath('a'))
    await world.pass(600)
    expect([world.tried.length, world.outcomes('expired')]).toEqual([1, 0])
  })

  it('does not give up what is being retried, and retries it within a minute more', async () => {
    const world = channelWorld()
    const channel = await begin(world)
    const notBefore = world.clock.now() + 60_000
    world.answers.push({ kind: 'later', why: 'it answered 500', notBefore })
    channel.notify(someDeath('a'))
    await world.pass(30)
    expect(world.tried.length).toBe(1)
    world.clock.set(byMs)
    await world.pass(120)
    expect(world.headlines()).toEqual([ONE, ONE])
    expect([world.outcomes('expired'), world.outcomes('sent')]).toEqual([0, 1])
  })

  it('adds later deaths to the group that was sent', async () => {
    const world = channelWorld()
    const channel = await begin(world)
    channel.notify(someDeath('a'))
    await world.pass(30)
    world.clock.set(byMs)
    await world.pass(5)
    channel.notify(someDeath('b'))
    await world.pass(400)
    expect(world.tried.map(({ about }) => [about?.deaths.map(({ uid }) => uid), about?.others])).toEqual([
      [['a'], 0],
      [['b'], 1],
    ])
  })

  it('keeps the rate limit: neither a burst nor hours of silence', async () => {
    const world = channelWorld()
    const channel = await begin(world, { outbox: { ...PLAN_OUTBOX, rate: createRate(2, HOURS) } })
    channel.notify(someDeath('a'))
    await world.pass(30)
    channel.notify(someDeath('b', { node: 'n8', pool: 'x' }))
    world.clock.set(byMs)
    await world.pass(1500)
    expect(world.tried.length).toBe(1)
    await world.pass(600)
    expect(world.tried.length).toBe(2)
  })

  it('loses and repeats nothing when the server restarts at that moment', async () => {
    const world = channelWorld()
    const first = await begin(world)
    const died = { diedAt: world.clock.now() }
    await world.record(someRow('a', died))
    first.notify(someDeath('a', died))
    await world.pass(30)
    await world.record(someRow('b', { ...died, node: 'n8', pool: 'x' }))
    first.notify(someDeath('b', { ...died, node: 'n8', pool: 'x' }))
    await world.pass(5)
    first.kill()
    world.clock.set(byMs)
    const second = await begin(world)
    second.notify(someDeath('a', died))
    await world.pass(1200)
    expect(world.headlines()).toEqual([ONE, 'arc/runner-b on node n8: node lost'])
  })

  it('does not make a new channel report deaths from before it', async () => {
    const world = channelWorld()
    for (let hours = 0; hours < 7; hours += 1)
      await world.record(someRow(`h${hours}`, { diedAt: world.clock.now() - hours * HOURS }))
    const first = await begin(world)
    await first.stop()
    world.clock.set(byMs)
    await begin(world)
    await world.pass(600)
    expect(world.headlines()).toEqual([])
  })
})

describe('steady time', () => {
  it('moves with the clock, stands still when that is set back, and follows a leap by two minutes', () => {
    let shown = 1000
    const steady = steadyTime({ now: () => shown })
    const after = (now: number): number => {
      shown = now
      return steady()
    }
    expect([after(1000), after(61_000), after(500), after(1500), after(10_000_000)]).toEqual([
      1000, 61_000, 61_001, 62_001, 182_001,
    ])
  })
})
