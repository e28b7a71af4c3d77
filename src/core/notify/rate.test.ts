import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { affordableAt, bucketAfter, createRate, spend } from '#/core/notify/rate.ts'

const HOUR = 3_600_000

describe('the limit of a channel', () => {
  it('is never passed within any hour, wherever one begins to count', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 300 }),
        (limit, pauses) => {
          const rate = createRate(limit, HOUR)
          let bucket = bucketAfter(rate, 0, 0)
          let now = 0
          const sent: number[] = []
          for (const pause of pauses) {
            now += pause
            const left = spend(rate, bucket, now)
            if (left === null) continue
            bucket = left
            sent.push(now)
          }
          for (const start of sent) {
            expect(sent.filter((at) => at >= start && at < start + HOUR).length).toBeLessThanOrEqual(limit)
          }
        },
      ),
    )
  })

  it.each([
    [20, 10, 327_273],
    [1, 1, HOUR],
    [2, 1, HOUR / 2],
  ])('of %i an hour is a burst of %i and then one in %i ms', (limit, burst, everyMs) => {
    expect(createRate(limit, HOUR)).toEqual({ burst, everyMs, periodMs: HOUR })
  })

  it('lifts when it says so, and not before', () => {
    const rate = createRate(2, HOUR)
    const empty = spend(rate, bucketAfter(rate, 0, 0), 0)
    if (empty === null) throw new Error('the first is free')
    const at = affordableAt(rate, empty, 1000)
    expect(at).toBe(HOUR / 2)
    expect(spend(rate, empty, at - 1)).toBeNull()
    expect(spend(rate, empty, at)).not.toBeNull()
  })

  it('remembers over a restart what was sent', () => {
    const rate = createRate(20, HOUR)
    expect(spend(rate, bucketAfter(rate, 9, 0), 0)).not.toBeNull()
    expect(spend(rate, bucketAfter(rate, 10, 0), 0)).toBeNull()
    expect(spend(rate, bucketAfter(rate, 99, 0), rate.everyMs)).not.toBeNull()
  })

  it('gives and takes nothing for a clock that was set back', () => {
    const pair = createRate(4, HOUR)
    const half = spend(pair, bucketAfter(pair, 0, HOUR), HOUR)
    if (half === null) throw new Error('the first is free')
    expect(spend(pair, half, 0)).not.toBeNull()
    const rate = createRate(1, HOUR)
    const empty = spend(rate, bucketAfter(rate, 0, HOUR), HOUR)
    if (empty === null) throw new Error('the first is free')
    expect(spend(rate, empty, 0)).toBeNull()
  })
})
