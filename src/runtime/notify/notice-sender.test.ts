import { afterEach, describe, expect, it } from 'vitest'
import type { Sending } from '#/ports/notifier.ts'
import { someDeath } from '#test/notify/some-death.ts'
import { PLAN_OUTBOX, channelWorld } from '#test/notify/run-channel.ts'
import type { ChannelWorld, RunningChannel } from '#test/notify/run-channel.ts'

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

const LATER: Sending = { kind: 'later', why: 'it answered 500', notBefore: null }
const failing = (world: ChannelWorld, sending: Sending, times: number) =>
  world.answers.push(...Array.from({ length: times }, () => sending))

describe('a channel that fails', () => {
  it('retries the same notice with a growing back-off', async () => {
    const world = channelWorld()
    const channel = await begin(world)
    failing(world, LATER, 3)
    channel.notify(someDeath('a'))
    await world.pass(60)
    expect(new Set(world.tried.map(({ id }) => id)).size).toBe(1)
    expect(world.tried.length).toBe(4)
    expect([world.outcomes('retried'), world.outcomes('sent')]).toEqual([3, 1])
  })

  it('does not retry before the time that the service asked for', async () => {
    const world = channelWorld()
    const channel = await begin(world)
    failing(world, { kind: 'later', why: 'it answered 429', notBefore: world.clock.now() + 120_000 }, 1)
    channel.notify(someDeath('a'))
    await world.pass(118)
    expect(world.tried.length).toBe(1)
    await world.pass(10)
    expect(world.tried.length).toBe(2)
  })

  it('is paused, logs that once, and logs when it works again', async () => {
    const world = channelWorld()
    const channel = await begin(world)
    failing(world, { kind: 'paused', why: 'it answered 404' }, 3)
    channel.notify(someDeath('a'))
    await world.pass(1200)
    expect(world.tried.length).toBe(4)
    expect(world.logged.filter(({ message }) => message === 'channel paused until someone fixes it')).toMatchObject([
      { level: 'error', fields: { channel: 'chat', why: 'it answered 404' } },
    ])
    expect(world.logged.filter(({ message }) => message === 'channel works again').length).toBe(1)
    expect(world.outcomes('paused')).toBe(3)
  })

  it('only counts what was rejected', async () => {
    const world = channelWorld()
    const channel = await begin(world)
    failing(world, { kind: 'refused', why: 'it answered 400' }, 1)
    channel.notify(someDeath('a'))
    await world.pass(60)
    expect(world.headlines()[1]).toBe('1 more (1 node lost): signalbox deaths --since 2026-11-15T12:00:00Z')
    expect(world.outcomes('refused')).toBe(1)
  })

  it('gives up notices that are too old, logs that, and sends their count when it works again', async () => {
    const world = channelWorld()
    const channel = await begin(world, { mostAgeMs: 60_000 })
    failing(world, LATER, 6)
    channel.notify(someDeath('a'))
    channel.notify(someDeath('b'))
    await world.pass(1000)
    expect(world.outcomes('expired')).toBe(1)
    const given = world.logged.filter(({ message }) => message.startsWith('gave up on a notice'))
    expect(given).toMatchObject([{ level: 'error', fields: { channel: 'chat', deaths: 2 } }])
    expect(world.headlines().at(-1)).toBe('2 more (2 node lost): signalbox deaths --since 2026-11-15T12:00:00Z')
    expect(world.outcomes('sent')).toBe(1)
    await channel.stop()
    await begin(world)
    const before = world.tried.length
    await world.pass(60)
    expect(world.tried.length).toBe(before)
  })

  it('lets one lane wait without blocking the others', async () => {
    const world = channelWorld()
    const outbox = { ...PLAN_OUTBOX, isPerDeath: true, followUpMs: 1000 }
    const sent: string[] = []
    const notifier = {
      send: async (notice: (typeof world.tried)[number]): Promise<Sending> => {
        const uid = notice.about?.deaths[0].uid ?? ''
        if (uid.startsWith('bad')) return { kind: 'paused', why: 'no rights' }
        sent.push(uid)
        return { kind: 'sent' }
      },
      lane: (notice: (typeof world.tried)[number]) => notice.about?.deaths[0].uid.slice(0, 3) ?? '',
    }
    const channel = await begin(world, { notifier, outbox, mostUnderWay: 10, mostAgeMs: 100_000 })
    for (const uid of ['bad1', 'bad2', 'ok1', 'ok2']) channel.notify(someDeath(uid))
    await world.pass(30)
    expect(sent).toEqual(['ok1', 'ok2'])
    await world.pass(100)
    expect(world.outcomes('expired')).toBe(2)
    await world.pass(100)
    expect(sent).toEqual(['ok1', 'ok2'])
  })

  it('with one notice for each death logs what it has no room for', async () => {
    const world = channelWorld()
    const outbox = { ...PLAN_OUTBOX, isPerDeath: true, mostWaiting: 2 }
    const channel = await begin(world, { outbox })
    for (const uid of ['a', 'b', 'c', 'd']) channel.notify(someDeath(uid))
    await world.pass(60)
    expect(world.tried.length).toBe(2)
    const lost = world.logged.find(({ message }) => message.startsWith('too many deaths wait'))
    expect(lost).toMatchObject({ level: 'error', fields: { deaths: 2 } })
  })
})
