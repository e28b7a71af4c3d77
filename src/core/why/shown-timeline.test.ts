import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RECORDS } from '#/core/evidence/timeline.ts'
import type { TimelineEntry } from '#/core/evidence/timeline.ts'
import { mergeRepeated, shortenTimeline } from './shown-timeline.ts'

const entry = (at: number, fact: string, source = 'logs'): TimelineEntry => ({ at, source, fact })
const renewed = (at: number): TimelineEntry =>
  entry(at, `lock-renewed: Successfully renew job 1ce73908-0ea1-4400-85ed-099a15ef617${at % 10}, valid till 20:4${at}`)

describe('the timeline for a person', () => {
  it('has repeated lines once, with how often and from when to when', () => {
    const rows = mergeRepeated([renewed(1), entry(2, 'step 3 began'), renewed(3), renewed(5), entry(6, 'killed')])
    expect(rows.map(({ from, at, count, fact }) => [from, at, count, fact.slice(0, 12)])).toEqual([
      [2, 2, 1, 'step 3 began'],
      [1, 5, 3, 'lock-renewed'],
      [6, 6, 1, 'killed'],
    ])
  })

  it('keeps two of a kind apart if something happened between them', () => {
    const rows = mergeRepeated([renewed(1), entry(2, 'cancel requested'), renewed(3)])
    expect(rows.map(({ count }) => count)).toEqual([1, 1, 1])
  })

  it('keeps lines of two sources, and lines that differ in words, apart', () => {
    const rows = mergeRepeated([
      entry(1, 'oom', 'a'),
      entry(1, 'oom', 'b'),
      entry(2, 'add x', 'b'),
      entry(3, 'add y', 'b'),
    ])
    expect(rows).toHaveLength(4)
  })

  it('is cut around the death, with more before it than after it', () => {
    const words = (index: number): string => String.fromCharCode(97 + (index % 26)).repeat(1 + Math.floor(index / 26))
    const long = Array.from({ length: 100 }, (_, index) => entry(index, `line ${words(index)}`))
    const shown = shortenTimeline([entry(0, 'ARC recorded a job', RECORDS), ...long], { diedAt: 60, most: 20 })
    expect(shown.map(({ at }) => at)).toEqual([0, ...Array.from({ length: 19 }, (_, index) => 48 + index)])
  })

  it('counts every entry once, in order of time, and never exceeds the limit', () => {
    const entries = fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: 50 }),
        source: fc.constantFrom('a', 'b', RECORDS),
        fact: fc.constantFrom('x 1', 'x 2', 'y', 'z 0abc123'),
      }),
    )
    fc.assert(
      fc.property(entries, fc.integer({ min: 0, max: 50 }), (drawn, diedAt) => {
        const sorted = drawn.toSorted((a, b) => a.at - b.at)
        const merged = mergeRepeated(sorted)
        expect(merged.reduce((sum, { count }) => sum + count, 0)).toBe(sorted.length)
        const shown = shortenTimeline(sorted, { diedAt, most: 5 })
        expect(shown.length).toBe(Math.min(5, merged.length))
        expect(shown.every((row, index) => row.at >= (shown[index - 1]?.at ?? 0))).toBe(true)
      }),
    )
  })
})
