import { afterEach, describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { createRate } from '#/core/notify/rate.ts'
import type { Sending } from '#/ports/notifier.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Store } from '#/ports/store/store.ts'
import { someDeath, someRow } from '#test/notify/some-death.ts'
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

/** A store that can be taken away. */
function fragileStore(): Store & { isAway: boolean } {
  const store = memoryStore()
  const away = <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (fragile.isAway) throw new StoreUnavailable('away')
      return call(...args)
    }
  }
  const { claim, release, has, count } = store.notices
  const notices = { claim: away(claim), release: away(release), has: away(has), count: away(count) }
  const fragile = { ...store, notices, isAway: false }
  return fragile
}

describe('a channel', () => {
  it('sends deaths in groups, and only those that are selected', async () => {
    const world = channelWorld()
    const channel = await begin(world)
    for (const uid of ['a', 'b', 'c']) channel.notify(someDeath(uid, { message: 'of the-secret' }))
    channel.notify(someDeath('clean', { kind: 'not-a-death' }))
    channel.notify(someDeath('a'))
    await world.pass(19)
    expect(world.headlines()).toEqual([])
    expect(world.metrics.expose()).toContain('signalbox_notice_deaths_waiting{channel="chat"} 3\n')
    await world.pass(600)
    expect(world.headlines()).toEqual(['3 runners on node n7 within a second: node lost'])
    expect(world.tried[0]?.about?.deaths[0].message).toBe('of ‹redacted›')
    expect(world.outcomes('sent')).toBe(1)
    expect(world.outcomes('expired')).toBe(0)
    expect(world.metrics.expose()).toContain('signalbox_notice_deaths_waiting{channel="chat"} 0\n')
  })

  it('sends what is due while deaths arrive as fast as it can look them up', async () => {
    const { notices, ...store } = memoryStore()
    let arriving = 3000
    const has: Store['notices']['has'] = async (place, key) => {
      if (place === 'chat/told' && arriving > 0) {
        arriving -= 1
        world.clock.advance(100)
        channel.notify(someDeath(`next-${arriving}`))
      }
      return notices.has(place, key)
    }
    const world = channelWorld({ ...store, notices: { ...notices, has } })
    const channel = await begin(world)
    let leftAtFirst: number | null = null
    world.answers.push(async () => {
      leftAtFirst = arriving
      return { kind: 'sent' }
    })
    channel.notify(someDeath('first'))
    await world.pass(600)
    expect(leftAtFirst).toBeGreaterThan(2000)
    expect(arriving).toBe(0)
  })

  it('does not send again after a restart', async () => {
    const world = channelWorld()
    const first = await begin(world)
    await world.record(someRow('a'))
    first.notify(someDeath('a'))
    await world.pass(30)
    await first.stop()
    const second = await begin(world)
    second.notify(someDeath('a'))
    await world.pass(60)
    expect(world.tried.length).toBe(1)
  })

  it('sends after a restart what was not sent, from the store', async () => {
    const world = channelWorld()
    const first = await begin(world)
    await world.record(someRow('a'))
    await world.record(someRow('old', { diedAt: world.clock.now() - 5 * 3_600_000 }))
    first.notify(someDeath('a'))
    await world.pass(5)
    first.kill()
    await begin(world)
    await world.pass(60)
    expect(world.headlines()).toEqual(['arc/runner-a on node n7: node lost'])
  })

  it('only counts what may have been sent when it was killed between request and response', async () => {
    const world = channelWorld()
    const first = await begin(world)
    await world.record(someRow('a'))
    first.notify(someDeath('a'))
    world.answers.push(() => new Promise(() => {}))
    await world.pass(30)
    expect(world.tried.length).toBe(1)
    first.kill()
    await begin(world)
    await world.pass(60)
    expect(world.headlines()).toEqual([
      'arc/runner-a on node n7: node lost',
      '1 more (1 node lost): signalbox deaths --since 2026-11-15T12:00:00Z',
    ])
    await begin(world)
    await world.pass(60)
    expect(world.tried.length).toBe(2)
  })

  it('sends it again where the second replaces the first', async () => {
    const world = channelWorld()
    const first = await begin(world, { isRepeatable: true })
    await world.record(someRow('a'))
    first.notify(someDeath('a'))
    world.answers.push(() => new Promise(() => {}))
    await world.pass(30)
    first.kill()
    await begin(world, { isRepeatable: true })
    await world.pass(60)
    expect(world.headlines()).toEqual(Array.from({ length: 2 }, () => 'arc/runner-a on node n7: node lost'))
  })

  it('saves what was sent though it is stopped at that moment', async () => {
    const world = channelWorld()
    const first = await begin(world)
    await world.record(someRow('a'))
    first.notify(someDeath('a'))
    const { promise, resolve } = Promise.withResolvers<Sending>()
    world.answers.push(() => promise)
    await world.pass(30)
    const stopped = first.stop()
    resolve({ kind: 'sent' })
    await stopped
    await begin(world)
    await world.pass(60)
    expect(world.tried.length).toBe(1)
  })

  it('sends in full after a restart what failed before', async () => {
    const world = channelWorld()
    const first = await begin(world)
    await world.record(someRow('a'))
    first.notify(someDeath('a'))
    world.answers.push({ kind: 'later', why: 'it answered 500', notBefore: world.clock.now() + 600_000 })
    await world.pass(30)
    first.kill()
    await begin(world)
    await world.pass(60)
    expect(world.headlines()).toEqual(Array.from({ length: 2 }, () => 'arc/runner-a on node n7: node lost'))
  })

  it('only counts what was being sent when it was stopped', async () => {
    const world = channelWorld()
    const first = await begin(world)
    await world.record(someRow('a'))
    first.notify(someDeath('a'))
    const { promise, resolve } = Promise.withResolvers<Sending>()
    world.answers.push(() => promise)
    await world.pass(30)
    const stopped = first.stop()
    resolve({ kind: 'later', why: 'given up because we are stopping', notBefore: null })
    await stopped
    await begin(world)
    await world.pass(60)
    expect(world.headlines()[1]).toMatch(/^1 more /)
  })

  it('starts with deaths after it was enabled', async () => {
    const world = channelWorld()
    await world.record(someRow('before'))
    const first = await begin(world)
    first.notify(someDeath('after', { node: 'n8' }))
    await world.pass(30)
    await begin(world)
    await world.pass(60)
    expect(world.headlines()).toEqual(['arc/runner-after on node n8: node lost'])
  })

  it('starts empty where it is a terminal', async () => {
    const world = channelWorld()
    for (let starts = 0; starts < 2; starts += 1) {
      const channel = await begin(world, { isRemembered: false })
      channel.notify(someDeath('a'))
      await world.pass(30)
      await channel.stop()
    }
    expect(world.tried.length).toBe(2)
    expect(await world.store.notices.count('chat', 0)).toBe(0)
  })

  it('keeps its rate limit over a restart', async () => {
    const world = channelWorld()
    const plan = { outbox: { ...PLAN_OUTBOX, rate: createRate(2, 3_600_000) } }
    const first = await begin(world, plan)
    first.notify(someDeath('a'))
    await world.pass(30)
    await first.stop()
    const second = await begin(world, plan)
    second.notify(someDeath('b', { node: 'n8', pool: 'x' }))
    await world.pass(1700)
    expect(world.tried.length).toBe(1)
    await world.pass(200)
    expect(world.tried.length).toBe(2)
  })
})

describe('while the store is unavailable', () => {
  it('nothing is sent that cannot be saved, and all of it when the store is back', async () => {
    const store = fragileStore()
    const world = channelWorld(store)
    const channel = await begin(world)
    store.isAway = true
    channel.notify(someDeath('a'))
    await world.pass(60)
    expect(world.tried.length).toBe(0)
    store.isAway = false
    await world.pass(60)
    expect(world.headlines()).toEqual(['arc/runner-a on node n7: node lost'])
  })

  it('what was just sent is not sent again', async () => {
    const store = fragileStore()
    const world = channelWorld(store)
    const channel = await begin(world)
    await world.record(someRow('a'))
    channel.notify(someDeath('a'))
    world.answers.push(async () => {
      store.isAway = true
      return { kind: 'sent' }
    })
    await world.pass(60)
    channel.notify(someDeath('a'))
    store.isAway = false
    await world.pass(60)
    await channel.stop()
    await begin(world)
    await world.pass(60)
    expect(world.tried.length).toBe(1)
  })

  it('a channel waits to begin', async () => {
    const store = fragileStore()
    const world = channelWorld(store)
    store.isAway = true
    const channel = await begin(world)
    channel.notify(someDeath('a'))
    await world.pass(30)
    store.isAway = false
    await world.pass(60)
    expect(world.tried.length).toBe(1)
  })

  it('deaths beyond the memory limit are found in the store afterwards', async () => {
    const store = fragileStore()
    const world = channelWorld(store)
    const channel = await begin(world)
    store.isAway = true
    for (let index = 0; index < 10_001; index += 1) channel.notify(someDeath(`u${index}`))
    await world.record(someRow('u10000'))
    await world.pass(2)
    store.isAway = false
    await world.pass(60)
    const counts = world.tried.map(({ about, more }) => (about?.deaths.length ?? 0) + (more?.count ?? 0))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(10_001)
  })
})
