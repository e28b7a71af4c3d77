import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { desiredSize } from './desired-size.ts'
import type { PoolDemand } from './desired-size.ts'

const IDLE: PoolDemand = { dispatchable: 0, busy: 0, arrivalsPerSecond: 0, startP95Ms: null }

describe('desiredSize', () => {
  it.each<[string, { warm: number; max: number }, Partial<PoolDemand>, number]>([
    ['is zero where nothing is to do', { warm: 0, max: 10 }, {}, 0],
    ['grows from zero with the first job', { warm: 0, max: 10 }, { dispatchable: 1 }, 1],
    ['keeps the warm floor', { warm: 2, max: 10 }, {}, 2],
    ['keeps the warm floor besides what works', { warm: 2, max: 10 }, { busy: 3 }, 5],
    ['has a pod for each job', { warm: 2, max: 10 }, { busy: 3, dispatchable: 4 }, 9],
    ['never exceeds the maximum', { warm: 2, max: 10 }, { busy: 9, dispatchable: 40 }, 10],
    [
      'keeps a reserve for what comes while a pod starts',
      { warm: 1, max: 99 },
      { arrivalsPerSecond: 0.5, startP95Ms: 30_000 },
      15,
    ],
    [
      'keeps no reserve beyond the floor where pods start at once',
      { warm: 1, max: 99 },
      { arrivalsPerSecond: 0.5, startP95Ms: 900 },
      1,
    ],
  ])('%s', (_title, size, demand, desired) => {
    expect(desiredSize(size, { ...IDLE, ...demand })).toBe(desired)
  })

  it('never falls when there is more to do, and is never beyond the maximum', () => {
    const demand = fc.record({
      dispatchable: fc.nat(500),
      busy: fc.nat(500),
      arrivalsPerSecond: fc.double({ min: 0, max: 50, noNaN: true }),
      startP95Ms: fc.option(fc.nat(600_000)),
    })
    fc.assert(
      fc.property(demand, fc.nat(20), fc.integer({ min: 20, max: 200 }), (now, warm, max) => {
        const size = desiredSize({ warm, max }, now)
        expect(size).toBeLessThanOrEqual(max)
        expect(size).toBeGreaterThanOrEqual(Math.min(max, now.busy + warm))
        expect(desiredSize({ warm, max }, { ...now, dispatchable: now.dispatchable + 1 })).toBeGreaterThanOrEqual(size)
      }),
    )
  })
})
