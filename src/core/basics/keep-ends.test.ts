import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keepEnds } from './keep-ends.ts'

describe('a long text', () => {
  it('keeps its beginning and its end', () => {
    const chain = `failed to create a pod: ${'rpc error: '.repeat(30)}connection is unauthorized`
    const kept = keepEnds(chain, 100)
    expect(kept).toMatch(/^failed to create a pod:.* … .*connection is unauthorized$/)
    expect(kept.length).toBeLessThanOrEqual(103)
  })

  it('that is short enough stays as it is', () => {
    expect(keepEnds(' all of it ', 9)).toBe('all of it')
  })

  it('is cut between words', () => {
    const words = fc.array(fc.stringMatching(/^[a-z0-9_/+=-]{1,40}$/), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(words, (given) => {
        const kept = keepEnds(given.join(' '), 80).split(' ')
        expect(kept.filter((word) => word !== '…' && !given.includes(word))).toEqual([])
      }),
    )
  })
})
