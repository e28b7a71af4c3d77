import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addAmounts, formatAmount, largerAmounts, minusAmounts, parseQuantity, timesIn } from './quantity.ts'

describe('a quantity of Kubernetes', () => {
  it.each([
    ['100m', 0.1],
    ['2', 2],
    [2, 2],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['1Ki', 1024],
    ['8Gi', 8 * 2 ** 30],
    ['1k', 1000],
    ['3M', 3_000_000],
    ['1e3', 1000],
    ['1E3', 1000],
    ['12E', 12e18],
    ['128974848000m', 128_974_848],
    ['500n', 5e-7],
    ['-1', -1],
    ['0', 0],
  ])('%s is %d', (text, amount) => {
    expect(parseQuantity(text)).toBeCloseTo(amount, 9)
  })

  it.each(['', 'Gi', '1 Gi', '1GiB', '1KB', 'abc', '1e', '--1', null, undefined, {}, Number.NaN, '9'.repeat(30)])(
    '%s is none',
    (text) => {
      expect(parseQuantity(text)).toBeNull()
    },
  )

  it('never throws and never gives what is not finite', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const amount = parseQuantity(value)
        return amount === null || Number.isFinite(amount)
      }),
    )
  })
})

const of = (amounts: Readonly<Record<string, number>>) => new Map(Object.entries(amounts))

describe('amounts of several resources', () => {
  it('are added by name', () => {
    expect(addAmounts(of({ cpu: 1 }), of({ cpu: 2, memory: 3 }))).toEqual(of({ cpu: 3, memory: 3 }))
  })

  it('are compared by name', () => {
    expect(largerAmounts(of({ cpu: 1, memory: 9 }), of({ cpu: 2 }))).toEqual(of({ cpu: 2, memory: 9 }))
  })

  it('go below 0 if more is used than there is', () => {
    expect(minusAmounts(of({ cpu: 1 }), of({ cpu: 2, gpu: 1 }))).toEqual(of({ cpu: -1, gpu: -1 }))
  })

  it('fit as often as the scarcest resource allows, which is named', () => {
    expect(timesIn(of({ cpu: 4, memory: 10 }), of({ cpu: 1, memory: 5 }))).toEqual({ times: 2, boundBy: 'memory' })
  })

  it('do not fit if a resource is missing', () => {
    expect(timesIn(of({ cpu: 4 }), of({ cpu: 1, 'nvidia.com/gpu': 1 }))).toEqual({
      times: 0,
      boundBy: 'nvidia.com/gpu',
    })
  })

  it('lose no pod to rounding', () => {
    expect(timesIn(of({ cpu: 0.3 }), of({ cpu: 0.1 })).times).toBe(3)
  })

  it('have no limit if nothing is requested', () => {
    expect(timesIn(of({ cpu: 1 }), of({ cpu: 0 }))).toEqual({ times: Infinity, boundBy: null })
  })

  it('are printed in the unit that fits', () => {
    expect([formatAmount('cpu', 1.25), formatAmount('memory', 1.5 * 2 ** 30), formatAmount('memory', 12)]).toEqual([
      '1.25',
      '1.5Gi',
      '12',
    ])
  })
})
