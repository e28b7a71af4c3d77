import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareTags, versionKey } from './tag-version.ts'

const sign = (number: number | null): string => {
  if (number === null) return 'unknown'
  if (number === 0) return 'same'
  return number < 0 ? 'older' : 'newer'
}

describe('a tag compared with another one', () => {
  it.each([
    ['2.335.1', '2.336.0', 'older'],
    ['2.99.0', '2.336.0', 'older'],
    ['0.9.3', '0.12.1', 'older'],
    ['v2.336.0', '2.336.0', 'same'],
    ['2.336.0', 'V2.336.0', 'same'],
    ['2.336.0-ubuntu', '2.336.0', 'same'],
    ['2.336.0-ubuntu', '2.336.0-alpine', 'same'],
    ['2.336.0+build.5', '2.336.0', 'same'],
    ['2.336.0_gcc15', '2.337.0', 'older'],
    ['2.336.0-7', '2.336.0', 'same'],
    ['2.336.0', '2.336.0-7', 'unknown'],
    ['2.336.0-7', '2.336.0-9', 'older'],
    ['0.14.2-rc1', '0.14.2', 'older'],
    ['0.14.2', '0.14.2-rc.2', 'newer'],
    ['0.14.2-rc.2', '0.14.2-rc.10', 'older'],
    ['2.336', '2.336.1', 'unknown'],
    ['2.335', '2.336.1', 'older'],
    ['2.336.1', '2.336', 'same'],
    ['24', '25', 'older'],
    ['v20261012-a1b2c3d', 'v20261102-9d8e7f6', 'older'],
    ['2026-10-12', '20261102', 'older'],
    ['2026.10.12', '2026-11-02', 'older'],
    ['2026.11.2', '2026.9.14', 'newer'],
    ['20261102-9d8e7f6', '20261102-1f2e3d4', 'unknown'],
    ['20261102-1', '20261102-2', 'older'],
    ['20261102T0930', '20261102T1415', 'older'],
    ['nightly-20261012', 'nightly-20261102', 'older'],
    ['main-20261012', '2.336.0', 'unknown'],
    ['nightly-20261012', 'main-20261102', 'unknown'],
    ['runner-2.335.0', 'runner-2.336.0', 'older'],
    ['latest', '2.336.0', 'unknown'],
    ['canary-2ee6b3b', '0.15.0', 'unknown'],
    ['0e12345', '2.336.0', 'unknown'],
    ['1234567', '2.336.0', 'unknown'],
    ['2.336.0', '20261102', 'unknown'],
    ['latest', 'latest', 'same'],
  ])('%s is, against %s, %s', (a, b, expected) => {
    expect(sign(compareTags(a, b))).toBe(expected)
  })

  it('is never both older and not newer the other way round', () => {
    const part = fc.integer({ min: 0, max: 400 })
    const tag = fc
      .tuple(fc.constantFrom('', 'v', 'runner-'), part, part, part, fc.constantFrom('', '-rc1', '-ubuntu', '-3'))
      .map(([prefix, a, b, c, suffix]) => `${prefix}${a}.${b}.${c}${suffix}`)
    fc.assert(
      fc.property(tag, tag, (a, b) => {
        const [there, back] = [compareTags(a, b), compareTags(b, a)]
        if (there !== null && there !== 0 && back !== null) expect(Math.sign(there)).toBe(-Math.sign(back))
      }),
    )
  })
})

describe('the version of a tag', () => {
  it.each([
    ['2.336.0', 'v2.336.0', true],
    ['2.336.0', '2.336.0-ubuntu', true],
    ['2.336.0', '2.335.0', false],
    ['0.14.2', '0.14.2-rc1', false],
    ['20261102-9d8e7f6', '20261102-1f2e3d4', false],
  ])('of %s and %s is the same: %s', (a, b, isSame) => {
    expect(versionKey(a) === versionKey(b)).toBe(isSame)
  })

  it.each(['latest', '0e12345', 'canary-2ee6b3b'])('of %s is not known', (tag) => {
    expect(versionKey(tag)).toBeNull()
  })
})
