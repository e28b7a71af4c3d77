import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Death } from '#/core/recorder/death.ts'
import { groupDeaths, sharedKey } from '#/core/notify/grouping.ts'
import { someDeath } from '#test/notify/some-death.ts'

const WINDOW = 40_000
const groups = (deaths: readonly Death[]) =>
  groupDeaths(deaths, WINDOW).map(({ shared, deaths: own }) => [sharedKey(shared), own.map(({ uid }) => uid).join('')])

const on = (uid: string, node: string | null, seconds: number, more: Partial<Death> = {}) =>
  someDeath(uid, { node, diedAt: seconds * 1000, pool: `pool-${uid}`, ...more })

describe('deaths that belong together', () => {
  it.each<[string, readonly Death[], readonly (readonly string[])[]]>([
    ['nothing', [], []],
    ['one alone', [on('a', 'n1', 0)], [['node n1', 'a']]],
    ['those of one node', [on('a', 'n1', 0), on('b', 'n1', 40)], [['node n1', 'ab']]],
    [
      'not after a longer pause',
      [on('a', 'n1', 0), on('b', 'n1', 41)],
      [
        ['node n1', 'a'],
        ['node n1', 'b'],
      ],
    ],
    ['a chain of short pauses', [on('a', 'n1', 0), on('b', 'n1', 40), on('c', 'n1', 80)], [['node n1', 'abc']]],
    [
      'not those of two nodes',
      [on('a', 'n1', 0), on('b', 'n2', 0)],
      [
        ['node n1', 'a'],
        ['node n2', 'b'],
      ],
    ],
    [
      'one pool and one cause on several nodes',
      [on('a', 'n1', 0, { pool: 'p' }), on('b', 'n2', 1, { pool: 'p' })],
      [['pool p node-lost', 'ab']],
    ],
    [
      'not one pool with two causes',
      [on('a', 'n1', 0, { pool: 'p' }), on('b', 'n2', 1, { pool: 'p', cause: 'oom-node' })],
      [
        ['node n1', 'a'],
        ['node n2', 'b'],
      ],
    ],
    [
      'the larger of two groups',
      [
        on('a', 'n1', 0, { pool: 'p' }),
        on('b', 'n1', 1),
        on('c', 'n2', 2, { pool: 'p' }),
        on('d', 'n3', 3, { pool: 'p' }),
      ],
      [
        ['pool p node-lost', 'acd'],
        ['node n1', 'b'],
      ],
    ],
    [
      'the node where both are as large',
      [on('a', 'n1', 0, { pool: 'p' }), on('b', 'n1', 0, { pool: 'p' })],
      [['node n1', 'ab']],
    ],
    [
      'those without a node by pool, and without a pool by namespace',
      [on('a', null, 0, { pool: null }), on('b', null, 1, { pool: null })],
      [['pool arc node-lost', 'ab']],
    ],
  ])('%s', (_, deaths, expected) => {
    expect(groups(deaths)).toEqual(expected)
  })

  const anyDeaths = fc
    .array(
      fc.record({
        node: fc.constantFrom('n1', 'n2', 'n3', null),
        pool: fc.constantFrom('p', 'q', null),
        cause: fc.constantFrom('node-lost', 'oom-node'),
        diedAt: fc.integer({ min: 0, max: 300_000 }),
      }),
      { maxLength: 30 },
    )
    .map((rows) => rows.map((row, index) => someDeath(`u${index}`, row)))

  it('are the same in whatever order they came, and each is in one group', () => {
    fc.assert(
      fc.property(anyDeaths, fc.integer(), (deaths, seed) => {
        const shuffled = deaths.toSorted(
          (a, b) => Math.sin(seed + Number(a.uid.slice(1))) - Math.sin(seed + Number(b.uid.slice(1))),
        )
        expect(groups(shuffled)).toEqual(groups(deaths))
        const grouped = groupDeaths(deaths, WINDOW).flatMap((group) => group.deaths.map(({ uid }) => uid))
        expect(grouped.toSorted()).toEqual(deaths.map(({ uid }) => uid).toSorted())
      }),
    )
  })
})
