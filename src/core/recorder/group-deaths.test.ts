import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countDeaths, GROUPINGS } from './group-deaths.ts'

const death = fc.record({
  cause: fc.constantFrom('oom-container', 'node-lost'),
  node: fc.constantFrom('n1', 'n2', null),
  pool: fc.constantFrom('linux', null),
  repository: fc.constantFrom('o/a', 'o/b', null),
  actor: fc.constantFrom('user:jane', null),
  diedAt: fc.nat(1000),
})

describe('deaths in groups', () => {
  it('are those with the most first, and of as many the latest', () => {
    const counting = countDeaths('node')
    const names = { cause: 'x', pool: null, repository: null, actor: null }
    for (const [node, diedAt] of [
      ['n1', 1],
      ['n2', 5],
      ['n2', 3],
      [null, 9],
    ] as const) {
      counting.add({ ...names, node, diedAt })
    }
    expect(counting.groups()).toEqual([
      { name: 'n2', count: 2, share: 0.5, lastDiedAt: 5 },
      { name: null, count: 1, share: 0.25, lastDiedAt: 9 },
      { name: 'n1', count: 1, share: 0.25, lastDiedAt: 1 },
    ])
  })

  it('are each counted once, whatever they are grouped by', () => {
    fc.assert(
      fc.property(fc.array(death), fc.constantFrom(...GROUPINGS), (deaths, by) => {
        const counting = countDeaths(by)
        for (const one of deaths) counting.add(one)
        const groups = counting.groups()
        expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(deaths.length)
        expect(groups.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(deaths.length === 0 ? 0 : 1)
        expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length)
      }),
    )
  })
})
