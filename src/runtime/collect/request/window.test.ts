import { describe, expect, it } from 'vitest'
import { chooseWindow } from './window.ts'

const HOUR = 3_600_000
const NOW = 100 * HOUR
const QUARTER = HOUR / 4

describe('the window of a collection', () => {
  it.each([
    ['the last two hours, where no start is known', {}, [null], [NOW - 2 * HOUR, null]],
    ['from before the first start', {}, [NOW - HOUR, null, NOW - 5 * HOUR], [NOW - 5 * HOUR - QUARTER, null]],
    ['what was asked for', { since: 7, until: 9 }, [NOW - HOUR], [7, 9]],
    ['two hours before an end that is asked for', { until: NOW - HOUR }, [], [NOW - 3 * HOUR, NOW - HOUR]],
    ['the same where the runner started after it', { until: NOW - 9 * HOUR }, [NOW], [NOW - 11 * HOUR, NOW - 9 * HOUR]],
  ])('is %s', (_, wish, starts, expected) => {
    const { from, to } = chooseWindow({ since: null, until: null, ...wish }, starts, NOW)
    expect([from, to]).toEqual(expected)
  })
})
