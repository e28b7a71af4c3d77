import { describe, expect, it } from 'vitest'
import { createLanes } from './lanes.ts'
import { createSharedReads } from './shared-reads.ts'

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('lanes', () => {
  it('run at most so many of one key at once, in order, and are not held up by another key', async () => {
    const lanes = createLanes(2)
    const held = Promise.withResolvers<void>()
    const done: string[] = []
    const slow = ['a', 'b', 'c'].map((name) =>
      lanes.run('n1', async () => {
        await held.promise
        done.push(name)
      }),
    )
    await lanes.run('n2', async () => void done.push('other'))
    expect([done, lanes.size('n1'), lanes.size('n2'), lanes.size()]).toEqual([['other'], 3, 0, 3])
    held.resolve()
    await Promise.all(slow)
    expect([done, lanes.size('n1'), lanes.size()]).toEqual([['other', 'a', 'b', 'c'], 0, 0])
  })

  it('free the place of work that fails', async () => {
    const lanes = createLanes(1)
    const failing = lanes.run('n1', async () => {
      await soon()
      throw new Error('no')
    })
    const next = lanes.run('n1', async () => 'done')
    await expect(failing).rejects.toThrow('no')
    expect([await next, lanes.size()]).toEqual(['done', 0])
  })
})

describe('a shared read', () => {
  it('serves all who ask within the time, and is read again after it', async () => {
    let now = 0
    const asked: string[] = []
    const reads = createSharedReads(
      async (key) => {
        asked.push(key)
        return asked.length
      },
      { clock: { now: () => now }, freshMs: 1000 },
    )
    const first = [reads.read('n1'), reads.read('n1'), reads.read('n2')]
    expect(await Promise.all(first)).toEqual([1, 1, 2])
    now = 999
    expect(await reads.read('n1')).toBe(1)
    now = 1000
    expect(await reads.read('n1')).toBe(3)
    expect(asked).toEqual(['n1', 'n2', 'n1'])
    // The clock was set back: nobody knows how old the answer is.
    now = 500
    expect(await reads.read('n1')).toBe(4)
  })
})
