import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEtagStore } from './etag-store.ts'

const answer = (body: string) => ({ etag: '"e"', body, link: null })

describe('the store of conditional answers', () => {
  it('gives back what it was given last', () => {
    const store = createEtagStore(10_000)
    store.put('a', answer('one'))
    store.put('a', answer('two'))
    expect(store.get('a')).toEqual(answer('two'))
    expect(store.get('b')).toBeNull()
  })

  it('forgets first what was not asked for longest', () => {
    const store = createEtagStore(1000)
    for (const key of ['a', 'b', 'c', 'd']) store.put(key, answer('x'.repeat(110)))
    store.get('a')
    store.put('e', answer('x'.repeat(110)))
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => store.get(key) !== null)).toEqual(['a', 'c', 'd', 'e'])
  })

  it('does not let one large answer push out all others', () => {
    const store = createEtagStore(1000)
    store.put('small', answer('x'))
    store.put('large', answer('x'.repeat(200)))
    expect(store.get('large')).toBeNull()
    expect(store.get('small')).not.toBeNull()
  })

  it('forgets an old answer whose successor is too large to keep', () => {
    const store = createEtagStore(1000)
    store.put('a', answer('x'))
    store.put('a', answer('x'.repeat(500)))
    expect(store.get('a')).toBeNull()
    expect(store.bytes()).toBe(0)
  })

  it('never holds more than its limit', () => {
    const puts = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), fc.nat(300)))
    fc.assert(
      fc.property(puts, (entries) => {
        const store = createEtagStore(1000)
        for (const [key, size] of entries) {
          store.put(key, answer('x'.repeat(size)))
          expect(store.bytes()).toBeLessThanOrEqual(1000)
          expect(store.bytes()).toBeGreaterThanOrEqual(0)
        }
      }),
    )
  })
})
