import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Claim } from '#/core/dispatch/claims.ts'
import type { PodRefusal } from '#/core/pools/pod-standing.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { createWaitingRoom } from './waiting-room.ts'
import type { RoomLimits, Wait, Waited } from './waiting-room.ts'

const stops: AbortController[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort()
})

const claimOf = (uid: string): Claim => ({ slot: { uid } }) as unknown as Claim

/** A room over a queue of so many jobs. */
function open(given: Partial<RoomLimits> = {}) {
  const clock = createHandClock()
  const world = {
    jobs: 0,
    rounds: [] as (readonly string[])[],
    given: [] as string[],
    hold: null as Promise<void> | null,
    fault: null as Error | null,
    errors: [] as string[],
  }
  const room = createWaitingRoom({
    clock,
    limits: given,
    log: { error: (message) => world.errors.push(message) },
    match: async (_scope, slots) => {
      world.rounds.push(slots)
      await world.hold
      if (world.fault !== null) throw world.fault
      const count = Math.min(world.jobs, slots.length)
      world.jobs -= count
      return slots.slice(0, count).map(claimOf)
    },
    giveBack: async ({ slot }) => {
      world.given.push(slot.uid)
      world.jobs += 1
    },
  })
  const stop = new AbortController()
  stops.push(stop)
  const running = room.run(stop.signal)
  const wait = (slot: string, more: Partial<Wait> = {}): Promise<Waited> =>
    room.wait({ scope: 's', slot, forMs: 25_000, signal: new AbortController().signal, refusal: () => null, ...more })
  return { room, wait, world, clock, stop, running }
}

/** Until all that can happen without the clock has happened. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await setImmediate()
}

describe('the waiting room', () => {
  it('gives a job that waits to who comes', async () => {
    const { wait, world } = open()
    world.jobs = 1
    expect(await wait('a')).toMatchObject({ kind: 'claimed', claim: { slot: { uid: 'a' } } })
  })

  it('looks once for all who come in the same moment', async () => {
    const { wait, world } = open()
    world.jobs = 2
    const waits = ['a', 'b', 'c'].map((slot) => wait(slot))
    await Promise.all(waits.slice(0, 2))
    expect(world.rounds).toEqual([['a', 'b', 'c']])
  })

  it('looks at once when it is woken, and has one round at a time', async () => {
    const { room, wait, world } = open()
    const held = Promise.withResolvers<void>()
    const waited = wait('a')
    await settle()
    world.hold = held.promise
    for (let times = 0; times < 10; times += 1) room.wake('s')
    await settle()
    expect(world.rounds).toHaveLength(2)
    world.jobs = 1
    held.resolve()
    expect(await waited).toMatchObject({ kind: 'claimed' })
  })

  it('does not look for each who comes while there is nothing', async () => {
    const { room, wait, world } = open()
    void wait('a')
    await settle()
    for (const slot of ['b', 'c', 'd']) void wait(slot)
    await settle()
    expect(world.rounds).toEqual([['a']])
    room.wake('s')
    await settle()
    expect(world.rounds.at(-1)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('looks for who does not wait at all', async () => {
    const { wait, world } = open()
    void wait('a')
    await settle()
    expect(await wait('b', { forMs: 0 })).toEqual({ kind: 'nothing' })
    expect(world.rounds.at(-1)).toEqual(['a', 'b'])
  })

  it('looks again every second, because wake-ups get lost and back-offs end', async () => {
    const { wait, world, clock } = open()
    const waited = wait('a')
    await settle()
    world.jobs = 1
    clock.advance(1000)
    expect(await waited).toMatchObject({ kind: 'claimed' })
  })

  it('ends a wait that is over', async () => {
    const { wait, clock, room } = open()
    const waited = wait('a')
    await settle()
    for (let seconds = 0; seconds < 25; seconds += 1) {
      expect(room.countWaiting()).toEqual(new Map([['s', 1]]))
      clock.advance(1000)
      await settle()
    }
    expect(await waited).toEqual({ kind: 'nothing' })
    expect(room.countWaiting().get('s') ?? 0).toBe(0)
  })

  it('ends a wait also where the clock was set back', async () => {
    const { room, wait, clock } = open()
    const waited = wait('a')
    await settle()
    clock.set(-3_600_000)
    clock.advance(1000)
    await settle()
    expect(room.countWaiting().get('s') ?? 0).toBe(0)
    expect(await waited).toEqual({ kind: 'nothing' })
  })

  it('returns the job of a pod that left in the same moment', async () => {
    const { wait, world } = open()
    const held = Promise.withResolvers<void>()
    world.hold = held.promise
    world.jobs = 1
    const gone = new AbortController()
    const left = wait('a', { signal: gone.signal })
    await settle()
    gone.abort()
    expect(await left).toEqual({ kind: 'left' })
    held.resolve()
    await settle()
    expect(world.given).toEqual(['a'])
    expect(await wait('b')).toMatchObject({ kind: 'claimed' })
  })

  it('keeps a wait that ends during its round, so that no job goes to and fro', async () => {
    const { wait, world, clock } = open()
    const held = Promise.withResolvers<void>()
    world.hold = held.promise
    world.jobs = 1
    const waited = wait('a', { forMs: 500 })
    await settle()
    clock.advance(1000)
    held.resolve()
    expect(await waited).toMatchObject({ kind: 'claimed' })
  })

  it('answers a pod that asks twice where it asked last', async () => {
    const { wait, world, room } = open()
    const first = wait('a')
    await settle()
    const second = wait('a')
    expect(await first).toEqual({ kind: 'left' })
    world.jobs = 1
    room.wake('s')
    expect(await second).toMatchObject({ kind: 'claimed' })
  })

  it('offers nobody who was drained while it waited', async () => {
    const { wait, world, room } = open()
    let reason: PodRefusal | null = null
    const drained = wait('a', { refusal: () => reason })
    const other = wait('b')
    await settle()
    reason = 'drained'
    world.jobs = 1
    room.wake('*')
    expect(await drained).toEqual({ kind: 'refused', reason: 'drained' })
    expect(await other).toMatchObject({ kind: 'claimed' })
  })

  it('makes no claim that cannot be minted now', async () => {
    const { wait, world } = open({ mostInHand: 2 })
    world.jobs = 3
    const waits = ['a', 'b', 'c'].map((slot) => wait(slot))
    const first = await waits[0]
    await settle()
    expect(world.rounds).toEqual([['a', 'b']])
    if (first?.kind === 'claimed') first.done()
    expect(await waits[2]).toMatchObject({ kind: 'claimed' })
  })

  it('does not look again after a job that is done, or for who comes then, where there was no other', async () => {
    const { wait, world } = open({ mostOffered: 2 })
    world.jobs = 1
    const [first] = ['a', 'b', 'c'].map((slot) => wait(slot))
    const waited = await first
    await settle()
    if (waited?.kind === 'claimed') waited.done()
    void wait('d')
    await settle()
    expect(world.rounds).toEqual([['a', 'b']])
  })

  it('says that the store is away to those who may have been given a job', async () => {
    const { wait, world } = open()
    world.fault = new StoreUnavailable('x')
    expect(await wait('a')).toEqual({ kind: 'store-unavailable' })
    world.fault = new Error('a mistake of ours')
    expect(await wait('a')).toEqual({ kind: 'store-unavailable' })
    expect(world.errors).toEqual(['a round of matching failed'])
    world.fault = null
    world.jobs = 1
    expect(await wait('a')).toMatchObject({ kind: 'claimed' })
  })

  it('has room for so many', async () => {
    const { wait } = open({ mostWaiting: 1 })
    void wait('a')
    expect(await wait('b')).toEqual({ kind: 'full' })
  })

  it('lets all go when the server stops, after what is under way', async () => {
    const { wait, world, stop, running } = open()
    const held = Promise.withResolvers<void>()
    world.hold = held.promise
    world.jobs = 1
    const waits = [wait('a'), wait('b')]
    await settle()
    stop.abort()
    await settle()
    held.resolve()
    await running
    expect(await Promise.all(waits)).toMatchObject([{ kind: 'claimed' }, { kind: 'nothing' }])
    expect(await wait('c')).toEqual({ kind: 'nothing' })
  })
})
