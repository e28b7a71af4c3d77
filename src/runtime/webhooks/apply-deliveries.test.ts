import { describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Store } from '#/ports/store/store.ts'
import { getJob } from '#test/contracts/store-builders.ts'
import { completed, inProgress, jobPayload, webhookWorld } from '#test/webhooks/webhook-world.ts'
import { MOST_ATTEMPTS } from './apply-deliveries.ts'

type Assignments = Store['assignments']

/** A store in which one call of the assignments does something else, until it is repaired. */
function disturbed(change: (assignments: Assignments) => Partial<Assignments>): {
  readonly store: Store
  readonly repair: () => void
} {
  const store = memoryStore()
  let isDisturbed = true
  const { assignments } = store
  const other = { ...assignments, ...change(assignments) }
  const choose = (): Assignments => (isDisturbed ? other : assignments)
  return {
    store: {
      ...store,
      assignments: {
        ...assignments,
        involved: async (key) => await choose().involved(key),
        commit: async (changes) => await choose().commit(changes),
      },
    },
    repair: () => {
      isDisturbed = false
    },
  }
}

const failing = (error: Error) =>
  disturbed(() => ({
    involved: async () => {
      throw error
    },
  }))

describe('the worker of deliveries', () => {
  it('tries again after a growing pause, and parks after a number of attempts, with the reason', async () => {
    const world = webhookWorld({ store: failing(new Error('the row makes no sense')).store })
    await world.send({ payload: jobPayload({}) })
    const startedAt = world.clock.now()
    const attempts: number[] = []
    while (attempts.length < MOST_ATTEMPTS) {
      if ((await world.worker.applyDue()) > 0) attempts.push((world.clock.now() - startedAt) / 1000)
      world.clock.advance(500)
    }
    expect(attempts).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243])
    expect(await world.rows()).toMatchObject([
      { outcome: 'parked', attempts: 10, why: '10 attempts failed: the row makes no sense' },
    ])
    expect(world.counts()).toEqual({ parked: 1 })
  })

  it('goes on with the later deliveries of a job of which one is parked', async () => {
    const { store, repair } = failing(new Error('no sense'))
    const world = webhookWorld({ store })
    await world.send({ payload: jobPayload({}) })
    world.clock.advance(1)
    await world.send({ payload: jobPayload(completed()) })
    for (let round = 0; round < MOST_ATTEMPTS; round += 1) {
      await world.worker.applyDue()
      expect((await world.rows()).length).toBe(round + 1 === MOST_ATTEMPTS ? 1 : 0)
      world.clock.advance(60_000)
    }
    repair()
    await world.worker.applyDue()
    expect((await world.rows()).map(({ outcome }) => outcome)).toEqual(['parked', 'applied'])
  })

  it.each([
    ['a store that is away', failing(new StoreUnavailable('away'))],
    ['another writer who is always faster', disturbed(() => ({ commit: async () => 'stale' }))],
  ])('loses nothing to %s, however long that takes', async (_, { store, repair }) => {
    const world = webhookWorld({ store })
    await world.send({ payload: jobPayload({}) })
    for (let round = 0; round < 100; round += 1) {
      await world.worker.applyDue()
      world.clock.advance(60_000)
    }
    expect(await world.rows()).toEqual([])
    repair()
    await world.worker.applyDue()
    expect(await world.rows()).toMatchObject([{ outcome: 'applied' }])
  })

  it('applies what a process had taken that was killed before it did', async () => {
    const store = memoryStore()
    const killed = webhookWorld({ store })
    await killed.send({ payload: jobPayload({}) })
    await store.deliveries.take({ at: killed.clock.now(), until: killed.clock.now() + 30_000, limit: 10 })
    const next = webhookWorld({ store })
    expect(await next.worker.applyDue()).toBe(0)
    next.clock.advance(30_000)
    await next.worker.applyDue()
    expect(await next.rows()).toMatchObject([{ outcome: 'applied', attempts: 2 }])
    expect(await getJob(store.assignments, 1)).toMatchObject({ state: 'queued', generation: 1 })
  })

  it('calls applied what a process had applied that was killed before it said so', async () => {
    const store = memoryStore()
    const settle = async (): Promise<never> => await Promise.reject(new StoreUnavailable('killed'))
    const killed = webhookWorld({ store: { ...store, deliveries: { ...store.deliveries, settle } } })
    await killed.send({ payload: jobPayload(inProgress()) })
    await expect(killed.worker.applyDue()).rejects.toThrow('killed')
    expect(await getJob(store.assignments, 1)).toMatchObject({ state: 'executing', generation: 1 })
    const next = webhookWorld({ store })
    next.clock.advance(30_000)
    await next.worker.applyDue()
    expect(await next.rows()).toMatchObject([{ outcome: 'applied' }])
    expect(await getJob(store.assignments, 1)).toMatchObject({ generation: 1 })
  })

  it('parks what ends the process each time', async () => {
    const world = webhookWorld()
    await world.send({ payload: jobPayload({}) })
    for (let crash = 0; crash < 20; crash += 1) {
      const at = world.clock.now()
      expect(await world.store.deliveries.take({ at, until: at + 30_000, limit: 1 })).toHaveLength(1)
      world.clock.advance(30_000)
    }
    await world.worker.applyDue()
    expect(await world.rows()).toMatchObject([{ outcome: 'parked', why: '20 attempts did not end' }])
  })

  it('applies a delivery once, of two workers on one store', async () => {
    const store = memoryStore()
    const [first, second] = [webhookWorld({ store }), webhookWorld({ store })]
    for (let id = 1; id <= 50; id += 1) await first.send({ payload: jobPayload({ id }) })
    await Promise.all([first.worker.applyDue(), second.worker.applyDue()])
    expect((first.counts()['applied'] ?? 0) + (second.counts()['applied'] ?? 0)).toBe(50)
  })

  it('looks at once when it is woken, and after a second otherwise', async () => {
    const world = webhookWorld()
    const stop = new AbortController()
    const ended = world.worker.loop.run(stop.signal)
    await world.send({ payload: jobPayload({}) })
    await expect.poll(async () => (await world.rows()).length, { timeout: 30_000 }).toBe(1)
    const other = webhookWorld({ store: world.store })
    await other.send({ payload: jobPayload({ id: 2 }) })
    await expect
      .poll(
        async () => {
          world.clock.advance(1000)
          return (await world.rows()).length
        },
        { timeout: 30_000 },
      )
      .toBe(2)
    stop.abort()
    await ended
  })
})
