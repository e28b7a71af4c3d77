import { afterEach, describe, expect, it } from 'vitest'
import { channelWorld } from '#test/notify/run-channel.ts'
import type { ChannelWorld, RunningChannel } from '#test/notify/run-channel.ts'
import { someDeath, someRow } from '#test/notify/some-death.ts'

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

describe('a channel', () => {
  it('sends once what comes into the store later, from the spool of a process before', async () => {
    const world = channelWorld()
    const first = await begin(world)
    await first.stop()
    const channel = await begin(world)
    const died = { diedAt: world.clock.now() }
    await world.record(someRow('a', died))
    await world.pass(120)
    expect(world.headlines()).toEqual([])
    channel.lookAgain()
    channel.lookAgain()
    await world.pass(120)
    expect(world.headlines()).toEqual(['arc/runner-a on node n7: node lost'])
    channel.lookAgain()
    await world.pass(600)
    expect(world.tried.length).toBe(1)
  })

  it('does not send a death that is not judged yet, but when it is', async () => {
    const world = channelWorld()
    const wanted = { isWanted: () => true }
    const first = await begin(world, wanted)
    await first.stop()
    const died = { diedAt: world.clock.now() }
    await world.record({ ...someRow('a', died), verdict: null })
    const channel = await begin(world, wanted)
    await world.pass(120)
    expect(world.headlines()).toEqual([])
    channel.notify(someDeath('a', died))
    await world.pass(120)
    expect(world.headlines()).toEqual(['arc/runner-a on node n7: node lost'])
  })
})
