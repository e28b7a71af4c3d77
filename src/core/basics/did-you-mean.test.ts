import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { didYouMean, editDistance } from './did-you-mean.ts'

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 8 })

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['doctor', 'doctor', 0],
    ['docter', 'doctor', 1],
    ['dcotor', 'doctor', 1],
    ['doctr', 'doctor', 1],
    ['kitten', 'sitting', 3],
    ['ca', 'abc', 2],
    ['', 'abc', 3],
  ])('counts %j to %j as %d', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance)
  })

  it('is a metric', () => {
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a))
        expect(editDistance(a, b) === 0).toBe(a === b)
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c))
      }),
    )
  })

  it('counts one for a swap of neighbours', () => {
    fc.assert(
      fc.property(word, word, (before, after) => {
        expect(editDistance(`${before}xy${after}`, `${before}yx${after}`)).toBe(1)
      }),
    )
  })
})

describe('didYouMean', () => {
  const known = ['doctor', 'version', 'help', 'config', 'completion', '--namespace', '--output']

  it.each([
    ['docter', ['doctor']],
    ['versoin', ['version']],
    ['Doctor', ['doctor']],
    ['--nmaespace', ['--namespace']],
    ['comp', ['completion']],
    ['--namespaze-of-all', []],
    ['hlep', ['help']],
    ['xyz', []],
    ['', []],
    ['d', []],
  ])('answers %j with %j', (typed, meant) => {
    expect(didYouMean(typed, known)).toEqual(meant)
  })

  it('names the nearest first and at most three', () => {
    expect(didYouMean('aaaaaa', ['aaaabb', 'aaaaab', 'aaaaba', 'aaabaa'])).toEqual(['aaaaab', 'aaaaba', 'aaabaa'])
  })

  it('finds every known word from one typo', () => {
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.nat(), fc.constantFrom('q', 'z', ''), (meant, seed, letter) => {
        const at = seed % meant.length
        const typed = meant.slice(0, at) + letter + meant.slice(at + 1)
        expect(didYouMean(typed, known)).toContain(meant)
      }),
    )
  })

  it('gives up on very long words', () => {
    expect(didYouMean('a'.repeat(10_000), ['a'.repeat(64)])).toEqual([])
  })
})
