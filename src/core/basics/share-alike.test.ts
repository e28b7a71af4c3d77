import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shareAlike } from './share-alike.ts'

const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

describe('shareAlike', () => {
  it('never changes the content of a value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, like) => {
        const [before, likeBefore] = [JSON.stringify(value), JSON.stringify(like)]
        expect(JSON.stringify(shareAlike(parsed(value), like))).toBe(before)
        expect(JSON.stringify(like)).toBe(likeBefore)
      }),
    )
  })

  it('returns the other value if both are equal', () => {
    fc.assert(
      fc.property(fc.object({ withNullPrototype: false }), (value) => {
        const like = parsed(value)
        expect(shareAlike(parsed(like), like)).toBe(like)
      }),
    )
  })

  it('shares the equal parts of different values', () => {
    const like = { name: 'a', spec: { env: [{ name: 'A' }, { name: 'B' }], node: 'n1' } }
    const shared = shareAlike({ name: 'b', spec: { env: [{ name: 'A' }, { name: 'B' }], node: 'n2' } }, like)
    expect(shared).toEqual({ name: 'b', spec: { env: [{ name: 'A' }, { name: 'B' }], node: 'n2' } })
    expect(shared.spec.env).toBe(like.spec.env)
    expect(shared.spec).not.toBe(like.spec)
  })

  it('shares the equal items of lists of different lengths', () => {
    const like = [{ a: 1 }, { b: 2 }]
    const shared = shareAlike([{ a: 1 }], like)
    expect(shared).toEqual([{ a: 1 }])
    expect(shared[0]).toBe(like[0])
  })

  it('does not confuse a missing field with an undefined one', () => {
    const like = { other: 1 }
    expect(shareAlike({ field: undefined }, like)).not.toBe(like)
  })
})
