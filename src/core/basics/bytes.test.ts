import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatBytes, parseBytes } from './bytes.ts'

describe('parseBytes', () => {
  it.each([
    ['0', 0],
    ['1024', 1024],
    ['10B', 10],
    ['500MB', 500_000_000],
    ['1kB', 1000],
    ['512Mi', 536_870_912],
    ['2GiB', 2_147_483_648],
    ['1.5KiB', 1536],
  ])('reads %s as %d', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes)
  })

  it.each(['', '-1', '2G', 'GiB', '2 GiB', '1e3', '2gib', '1.5.5MB', '9007199254740993', '99999999TiB', '1toString'])(
    'refuses %j',
    (text) => {
      expect(parseBytes(text)).toBeNull()
    },
  )

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const bytes = parseBytes(text)
        expect(bytes === null || (Number.isSafeInteger(bytes) && bytes >= 0)).toBe(true)
      }),
    )
  })
})

describe('formatBytes', () => {
  it('stays within 5 % of the input, and can be parsed again', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 50 }), (bytes) => {
        const back = parseBytes(formatBytes(bytes))
        expect(back).not.toBeNull()
        expect(Math.abs(back! - bytes)).toBeLessThanOrEqual(bytes / 20)
      }),
    )
  })

  it.each([
    [0, '0B'],
    [1023, '1023B'],
    [1536, '1.5KiB'],
    [2 ** 31, '2GiB'],
  ])('writes %d as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text)
  })
})
