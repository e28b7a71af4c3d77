import { describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { Delivery, RecordedDelivery } from '#/ports/store/deliveries.ts'
import { delivery } from '#test/contracts/store-builders.ts'
import { storeTogether } from './store-together.ts'

/** Writes wait until they are let go. */
function held() {
  const { deliveries } = memoryStore()
  const writes: { readonly guids: readonly string[]; readonly go: () => void; readonly fail: () => void }[] = []
  const recordAll = async (all: readonly Delivery[]): Promise<readonly RecordedDelivery[]> => {
    const gate = Promise.withResolvers<void>()
    const guids = all.map(({ guid }) => guid)
    writes.push({ guids, go: () => gate.resolve(), fail: () => gate.reject(new Error('it is away')) })
    await gate.promise
    return await deliveries.recordAll(all)
  }
  return { deliveries, writes, record: storeTogether({ recordAll }) }
}

describe('deliveries that are stored together', () => {
  it('wait only while two writes are under way, and are answered after their own', async () => {
    const { record, writes, deliveries } = held()
    const answers = ['a', 'b', 'c', 'd'].map(async (guid) => await record(delivery(guid)))
    expect(writes.map(({ guids }) => guids)).toEqual([['a'], ['b']])
    writes[0]?.go()
    expect(await answers[0]).toBe('new')
    await expect.poll(() => writes.length, { timeout: 30_000 }).toBe(3)
    expect(writes[2]?.guids).toEqual(['c', 'd'])
    expect(await deliveries.pending(10)).toHaveLength(1)
    writes[1]?.go()
    writes[2]?.go()
    expect(await Promise.all(answers)).toEqual(['new', 'new', 'new', 'new'])
  })

  it('are never in one write with their own GUID', async () => {
    const { record, writes } = held()
    const answers = ['a', 'b', 'c', 'c'].map(async (guid) => await record(delivery(guid)))
    for (let nth = 0; nth < 4; nth += 1) {
      await expect.poll(() => writes.length, { timeout: 30_000 }).toBeGreaterThan(nth)
      writes[nth]?.go()
    }
    expect((await Promise.all(answers)).toSorted()).toEqual(['new', 'new', 'new', 'repeated'])
  })

  it('are bounded in number and bytes', async () => {
    const { record, writes } = held()
    const body = 'x'.repeat(3 * 1024 * 1024)
    const large = ['a', 'b', 'c', 'd', 'e'].map(async (guid) => await record(delivery(guid, { body })))
    const small = Array.from({ length: 100 }, async (_, nth) => await record(delivery(`small-${nth}`)))
    const written = (): number => writes.reduce((sum, { guids }) => sum + guids.length, 0)
    for (let nth = 0; written() < large.length + small.length; nth += 1) {
      await expect.poll(() => writes.length, { timeout: 30_000 }).toBeGreaterThan(nth)
      writes[nth]?.go()
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const { go } of writes) go()
    await Promise.all([...large, ...small])
    for (const { guids } of writes) {
      expect(guids.length).toBeLessThanOrEqual(64)
      expect(guids.filter((guid) => !guid.startsWith('small')).length).toBeLessThanOrEqual(1)
    }
  })

  it('fail together with their write, and not those after it', async () => {
    const { record, writes } = held()
    const failed = ['a', 'b'].map(async (guid) => await record(delivery(guid)))
    const after = record(delivery('c'))
    for (const { fail } of writes.slice(0, 2)) fail()
    expect(await Promise.allSettled(failed)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    await expect.poll(() => writes.length, { timeout: 30_000 }).toBe(3)
    writes[2]?.go()
    expect(await after).toBe('new')
  })
})
