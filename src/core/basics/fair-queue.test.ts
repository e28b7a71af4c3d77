import { describe, expect, it } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

const any = (): boolean => true

function filled(pairs: readonly (readonly [string, string])[]) {
  const queue = createFairQueue<string>()
  for (const [key, item] of pairs) queue.push(key, item)
  return queue
}

describe('a fair queue', () => {
  it('serves the keys in turn, and the items of a key in their order', () => {
    const queue = filled([
      ['hostile', 'h1'],
      ['hostile', 'h2'],
      ['hostile', 'h3'],
      ['quiet', 'q1'],
      ['other', 'o1'],
      ['quiet', 'q2'],
    ])
    expect(queue.drain().map(({ item }) => item)).toEqual(['h1', 'q1', 'o1', 'h2', 'q2', 'h3'])
    expect(queue.size()).toBe(0)
  })

  it('passes over a key that may not be served, which keeps its turn', () => {
    const queue = filled([
      ['a', 'a1'],
      ['b', 'b1'],
      ['b', 'b2'],
    ])
    expect(queue.take((key) => key !== 'a')).toEqual({ key: 'b', item: 'b1' })
    expect(queue.take(any)).toEqual({ key: 'a', item: 'a1' })
    expect(queue.take((key) => key !== 'b')).toBeNull()
    expect(queue.size()).toBe(1)
  })

  it('forgets an item that is removed, and says whether it was waiting', () => {
    const queue = filled([
      ['a', 'a1'],
      ['a', 'a2'],
    ])
    expect(queue.remove('a', 'a1')).toBe(true)
    expect(queue.remove('a', 'a1')).toBe(false)
    expect(queue.remove('b', 'b1')).toBe(false)
    expect(queue.drain()).toEqual([{ key: 'a', item: 'a2' }])
  })
})
