import { describe, expect, it } from 'vitest'
import { laneSentence, laneSummaries } from './lane-summary.ts'
import { arcFleet } from '#test/fleets/arc-set.ts'
import type { SetCase } from '#test/fleets/arc-set.ts'

const lane = {
  label: 'linux-x64',
  waiting: 1,
  busy: 2,
  idle: 0,
  starting: 1,
  max: 8,
  firstLimiter: null,
  admits: null,
  listenerDown: null,
} as const
const down = { ...lane, listenerDown: 'crash-looping' } as const

describe('the summary of a lane', () => {
  it.each([
    [{ ...lane, firstLimiter: 'quota-limit', admits: 3 }, 'first limiter quota-limit (admits 3)'],
    [{ ...lane, waiting: 0 }, 'nothing waits'],
    [lane, 'no limiter'],
    [{ ...lane, waiting: null }, 'no known limiter'],
    [{ ...down, waiting: 0 }, 'nothing waits, but a listener is down (crash-looping)'],
    [{ ...down, waiting: 0, listenerDown: 'missing' }, 'nothing waits, but it has no listener now'],
    [{ ...down, waiting: null }, 'a listener is down (crash-looping)'],
    [{ ...down, firstLimiter: 'listener-unhealthy', admits: 0 }, 'first limiter listener-unhealthy (admits 0)'],
    [{ ...down, firstLimiter: 'quota-limit' }, 'first limiter quota-limit, and a listener is down (crash-looping)'],
  ])('of %o ends in "%s"', (summary, end) => {
    expect(laneSentence(summary).split('; ')[1]).toBe(end)
  })

  it.each<readonly [string, string | null, SetCase]>([
    ['a crash loop that burst reports', 'crash-looping', { listenerPod: { age: 3 } }],
    ['a missing listener that only runtime reports', 'missing', { listener: false }],
    ['a listener that is well', null, {}],
  ])('knows of %s', (_title, condition, own) => {
    expect(laneSummaries(arcFleet(own), []).map(({ listenerDown }) => listenerDown)).toEqual([condition])
  })

  it('says unknown instead of zero', () => {
    expect(laneSentence({ ...lane, waiting: null, busy: null, idle: null, starting: null })).toBe(
      'linux-x64: queue unknown, runners unknown; no known limiter',
    )
  })
})
