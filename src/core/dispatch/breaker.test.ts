import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { breakerState, FAILURES_TO_OPEN, NEW_BREAKER, nextBreaker, PROBE_MS } from './breaker.ts'
import type { Breaker, BreakerEvent } from './breaker.ts'

const fail = (at: number, until: number | null = null): BreakerEvent => ({ kind: 'failed', at, why: '502', until })
const after = (events: readonly BreakerEvent[], from: Breaker = NEW_BREAKER): Breaker =>
  events.reduce((breaker, event) => nextBreaker(breaker, event) ?? breaker, from)
const opened = after([fail(0), fail(1), fail(2)])

describe('a breaker', () => {
  it('opens after as many failures as may be chance, and names the last', () => {
    expect(breakerState(after([fail(0), fail(1)]), 2)).toBe('closed')
    expect(opened).toEqual({ failures: FAILURES_TO_OPEN, openUntil: 2 + 30_000, why: '502', changedAt: 2 })
    expect(breakerState(opened, 30_001)).toBe('open')
  })

  it('is half-open after its pause, for one attempt at a time', () => {
    expect(breakerState(opened, 30_002)).toBe('half-open')
    const probed = after([{ kind: 'probed', at: 40_000 }], opened)
    expect(breakerState(probed, 40_000 + PROBE_MS - 1)).toBe('open')
    expect(nextBreaker(probed, { kind: 'probed', at: 40_001 })).toBeNull()
    expect(breakerState(probed, 40_000 + PROBE_MS)).toBe('half-open')
  })

  it('opens for twice as long where the attempt fails too', () => {
    const probed = after([{ kind: 'probed', at: 40_000 }, fail(40_100)], opened)
    expect(probed).toMatchObject({ failures: 4, openUntil: 40_100 + 60_000 })
  })

  it('is not opened for longer by what had begun before it opened', () => {
    expect(nextBreaker(opened, fail(100))).toBeNull()
  })

  it('stays open until the time that the other side gave, from the first failure on', () => {
    expect(after([fail(0, 90_000)])).toMatchObject({ failures: 1, openUntil: 90_000 })
    expect(after([fail(100, 90_000)], opened)).toMatchObject({ openUntil: 90_000 })
    expect(nextBreaker(opened, fail(100, 5))).toBeNull()
  })

  it.each(['succeeded', 'reset'] as const)('is closed by "%s"', (kind) => {
    expect(after([{ kind, at: 50 }], opened)).toEqual({ ...NEW_BREAKER, changedAt: 50 })
    expect(nextBreaker(NEW_BREAKER, { kind, at: 50 })).toBeNull()
  })

  it('never waits longer than a quarter of an hour on its own, and a success always closes it', () => {
    const event = fc.oneof(
      fc.nat(5_000_000).map((at) => fail(at)),
      fc.record({ kind: fc.constantFrom('succeeded', 'probed', 'reset'), at: fc.nat(5_000_000) }),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const ordered = events.toSorted((a, b) => a.at - b.at)
        const breaker = after(ordered)
        expect((breaker.openUntil ?? 0) - breaker.changedAt).toBeLessThanOrEqual(900_000)
        if (breaker.openUntil !== null) expect(breaker.failures).toBeGreaterThanOrEqual(FAILURES_TO_OPEN)
        expect(breakerState(after([{ kind: 'succeeded', at: 5_000_001 }], breaker), 5_000_001)).toBe('closed')
      }),
    )
  })
})
