import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs } from './backoff.ts'

describe('the wait after a failure', () => {
  it.each([
    [0, 1, 100],
    [1, 1, 200],
    [3, 1, 800],
    [4, 1, 1000],
    [5000, 1, 1000],
    [0, 0, 50],
    [1, 0.5, 150],
    [5000, 0, 500],
  ])('after %i others, at chance %d, is %d ms', (failures, chance, expected) => {
    expect(backoffMs({ firstMs: 100, mostMs: 1000 }, failures, chance)).toBe(expected)
  })

  it('grows by the factor that is asked for', () => {
    expect(backoffMs({ firstMs: 100, factor: 3, mostMs: 1000 }, 2)).toBe(900)
  })

  it('never shrinks with more failures, and is at least half of the first and at most the most', () => {
    const plan = fc.record({ firstMs: fc.integer({ min: 1, max: 1e4 }), mostMs: fc.integer({ min: 1e4, max: 1e7 }) })
    const chance = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(plan, fc.nat(100_000), chance, (given, failures, luck) => {
        const wait = backoffMs(given, failures, luck)
        expect(wait).toBeGreaterThanOrEqual(given.firstMs / 2)
        expect(wait).toBeLessThanOrEqual(given.mostMs)
        expect(backoffMs(given, failures + 1, luck)).toBeGreaterThanOrEqual(wait)
      }),
    )
  })
})
