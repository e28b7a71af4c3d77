import { describe, expect, it } from 'vitest'
import { countFailures } from './auth-failures.ts'

const limits = { most: 3, withinMs: 1000, callers: 2 }

describe('wrong tokens', () => {
  it('make their caller wait until the first of them is long ago, and nobody else', () => {
    const failures = countFailures(limits)
    for (const at of [0, 100, 200]) {
      expect(failures.waitMs('a', at)).toBe(0)
      failures.add('a', at)
    }
    expect([failures.waitMs('a', 300), failures.waitMs('b', 300)]).toEqual([700, 0])
    expect([failures.waitMs('a', 999), failures.waitMs('a', 1000)]).toEqual([1, 0])
  })

  it('are remembered of so many callers only, the latest', () => {
    const failures = countFailures(limits)
    for (const caller of ['a', 'b', 'c']) for (const at of [0, 1, 2]) failures.add(caller, at)
    expect(['a', 'b', 'c'].map((caller) => failures.waitMs(caller, 3) > 0)).toEqual([false, true, true])
  })

  it('keep nobody out for longer where the clock is set back', () => {
    const failures = countFailures({ most: 2, withinMs: 1000, callers: 2 })
    for (const now of [3_600_000, 3_600_000]) failures.add('a', now)
    expect(failures.waitMs('a', 3_600_000)).toBe(1000)
    expect(failures.waitMs('a', 0)).toBe(0)
  })
})
