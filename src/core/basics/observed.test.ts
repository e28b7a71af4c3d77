import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'

import { BLIND_CODES, blind, both, judge, mapSeen, none, seen, seenList, describeReason } from './observed.ts'
import type { Observed } from './observed.ts'

const observed: fc.Arbitrary<Observed<number>> = fc.oneof(
  fc.integer().map(seen),
  fc.constant(none()),
  fc.tuple(fc.constantFrom(...BLIND_CODES), fc.string()).map(([code, detail]) => blind(code, detail)),
)

describe('an observed fact', () => {
  it('has no readable value before its kind is checked', () => {
    expectTypeOf<Observed<number>>().not.toHaveProperty('value')
    expect(blind('forbidden', '403')).not.toHaveProperty('value')
  })

  it('is none, not blind, if an observing source gave an empty list', () => {
    expect(seenList([])).toEqual({ kind: 'none' })
    expect(seenList([1])).toEqual(seen([1]))
  })

  it('is judged by exactly one of the three cases', () => {
    fc.assert(
      fc.property(observed, (fact) => {
        const kind = judge(fact, { seen: () => 'seen', none: () => 'none', blind: () => 'blind' })
        expect(kind).toBe(fact.kind)
      }),
    )
  })

  it('stays blind with its reason through every change', () => {
    fc.assert(
      fc.property(observed, (fact) => {
        const mapped = mapSeen(fact, (value) => `${value}`)
        if (fact.kind === 'seen') expect(mapped).toEqual(seen(`${fact.value}`))
        else expect(mapped).toBe(fact)
      }),
    )
  })

  it('is blind as a pair if one of the two is blind', () => {
    fc.assert(
      fc.property(observed, observed, (a, b) => {
        const kinds = [a.kind, b.kind]
        const expected = kinds.includes('blind') ? 'blind' : kinds.includes('none') ? 'none' : 'seen'
        expect(both(a, b).kind).toBe(expected)
      }),
    )
  })
})

describe('a described reason', () => {
  it('has its code in front, once', () => {
    expect(describeReason({ code: 'not-asked', detail: 'no log is configured' })).toBe(
      'not-asked: no log is configured',
    )
    expect(describeReason({ code: 'not-asked', detail: 'not-asked: no log' })).toBe('not-asked: no log')
    expect(describeReason({ code: 'forbidden', detail: '403: no right' })).toBe('forbidden: 403: no right')
  })
})
