import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'

describe('parseDuration', () => {
  it.each([
    ['0s', 0],
    ['250ms', 250],
    ['90s', 90_000],
    ['5m', 300_000],
    ['36h', 129_600_000],
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
    ['1h30m', 5_400_000],
    ['1w1d1h1m1s1ms', 694_861_001],
  ])('reads %s as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each(['', '30', 'd', '-1d', '1.5h', '5m1h', '1h1h', '1 h', '1y', '1D', ' 1h', '1h\n', '9007199254740993ms'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeNull()
    },
  )

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const ms = parseDuration(text)
        expect(ms === null || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true)
      }),
    )
  })
})

describe('formatDuration', () => {
  it('writes what parseDuration reads back', () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms)
      }),
    )
  })

  it.each([
    [0, '0s'],
    [-182_000, '-3m2s'],
    [5_400_000, '1h30m'],
    [2_592_000_000, '30d'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})
