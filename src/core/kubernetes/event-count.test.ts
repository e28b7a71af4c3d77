import { describe, expect, it } from 'vitest'
import { readEvent } from './event-facts.ts'
import { before, buildEvent } from '#test/fleets/cluster-parts.ts'
import { countSince } from './event-count.ts'

const since = Date.parse(before(60))

describe('an aggregated event', () => {
  it.each<readonly [string, number, { readonly count: number; readonly first: number; readonly last: number }]>([
    ['counts whole within the time', 7, { count: 7, first: 30, last: 1 }],
    ['counts whole where it began with it', 7, { count: 7, first: 60, last: 1 }],
    ['counts not where it ended before', 0, { count: 7, first: 90, last: 61 }],
    ['counts by its part where it began before', 6, { count: 11, first: 120, last: 0 }],
    ['counts once at the least', 1, { count: 3, first: 9000, last: 0 }],
    ['counts once if nobody counted', 1, { count: 0, first: 30, last: 1 }],
  ])('%s', (_title, expected, { count, first, last }) => {
    expect(countSince(readEvent(buildEvent('X', last, 'x', { count, first })), since)).toBe(expected)
  })
})
