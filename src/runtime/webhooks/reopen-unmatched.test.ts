import { describe, expect, it } from 'vitest'
import { blind, seenList } from '#/core/basics/observed.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { Pools } from '#/ports/pools.ts'
import { completed, jobPayload, webhookWorld } from '#test/webhooks/webhook-world.ts'
import { reopenOnPoolChange } from './reopen-unmatched.ts'

function declared(): { readonly pools: Pools; readonly change: (...pools: readonly RunnerPool[]) => Promise<void> } {
  let read: ReturnType<Pools['read']> = blind('not-asked', 'not yet')
  let listen = (): void => {}
  return {
    pools: {
      read: () => read,
      onChange: (listener) => {
        listen = listener
      },
    },
    change: async (...pools) => {
      read = seenList(pools)
      listen()
      // The memory store answers within the turns of its promises.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

async function unmatched() {
  const world = webhookWorld({ installations: { id: null, owners: ['acme'] } })
  const { pools, change } = declared()
  let reopened = 0
  const log = { info: () => {}, warn: () => {} }
  const { deliveries, assignments } = world.store
  reopenOnPoolChange({ pools, assignments, deliveries, clock: world.clock, log, reopened: () => (reopened += 1) })
  world.setPools(seenList<never>([]))
  await change()
  await world.send({ payload: jobPayload({}) })
  await world.send({ payload: jobPayload({ id: 2 }) })
  world.clock.advance(1)
  await world.send({ payload: jobPayload(completed({ id: 2 })) })
  await world.worker.applyDue()
  expect(world.counts()).toEqual({ 'no-pool': 3 })
  return { world, change, count: () => reopened }
}

describe('deliveries that fitted no pool', () => {
  it('are applied when the pool is declared: what waits is queued, and what ended since has ended', async () => {
    const { world, change, count } = await unmatched()
    const pool = declarePool('linux')
    world.setPools(seenList([pool]))
    await change(pool)
    expect(count()).toBe(1)
    await world.worker.applyDue()
    const { assignments } = world.store
    expect([await assignments.job(1), await assignments.job(2)]).toMatchObject([
      { state: 'queued' },
      { state: 'finished' },
    ])
  })

  it('are left alone by a change that moves no job, and after an hour', async () => {
    const { change, count, world } = await unmatched()
    const pool = declarePool('other', { labels: ['other'] })
    await change(pool)
    await world.worker.applyDue()
    expect(count()).toBe(1)
    await change({ ...pool, size: { ...pool.size, max: 99 } })
    expect(count()).toBe(1)
    world.clock.advance(3_600_001)
    await change(declarePool('linux'))
    expect(count()).toBe(1)
  })
})
