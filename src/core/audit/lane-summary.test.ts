import { describe, expect, it } from 'vitest'
import { laneSentence } from './lane-summary.ts'

const lane = {
  label: 'linux-x64',
  waiting: 1,
  busy: 2,
  idle: 0,
  starting: 1,
  max: 8,
  firstLimiter: null,
  admits: null,
} as const

describe('the summary of a lane', () => {
  it.each([
    [{ ...lane, firstLimiter: 'quota-limit', admits: 3 }, 'first limiter quota-limit (admits 3)'],
    [{ ...lane, waiting: 0 }, 'nothing waits'],
    [lane, 'no limiter'],
    [{ ...lane, waiting: null }, 'no known limiter'],
  ])('of %o ends in "%s"', (summary, end) => {
    expect(laneSentence(summary).split('; ')[1]).toBe(end)
  })

  it('says unknown instead of zero', () => {
    expect(laneSentence({ ...lane, waiting: null, busy: null, idle: null, starting: null })).toBe(
      'linux-x64: queue unknown, runners unknown; no known limiter',
    )
  })
})
