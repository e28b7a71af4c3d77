import { describe, expect, it } from 'vitest'

import { blind, none, seen } from '#/core/basics/observed.ts'
import { blindSources, hasLooked, hasLookedOver, toSourceState } from '#/core/why/source-state.ts'
import { blindTo, looking, second } from '#test/why/evidence.ts'

describe('the state of a source', () => {
  it('is blind if it could not be read, whatever meta.json claims', () => {
    const unread = blind('forbidden', 'no right')
    expect(toSourceState(unread, { from: second(0), to: second(1) })).toEqual(unread)
  })

  it('is looked if it was read, even if it is empty', () => {
    const window = { from: second(0), to: second(1) }
    expect(toSourceState(seen([]), window)).toEqual({ kind: 'looked', ...window })
    expect(toSourceState(none(), null)).toEqual({ kind: 'looked', from: null, to: null })
  })

  it('lists the blind ones with the reason', () => {
    const states = new Map([...looking('logs'), ...blindTo('journal')])
    expect(blindSources(states)).toEqual([
      { source: 'journal', reason: { code: 'not-asked', detail: 'never collected' } },
    ])
    expect(['logs', 'journal', 'cgroup'].map((source) => hasLooked(states, source))).toEqual([true, false, false])
  })

  it.each([
    ['covers the time', [0, 100], true],
    ['covers it exactly', [40, 50], true],
    ['begins too late', [41, 100], false],
    ['ends too early', [0, 49], false],
  ])('has looked over a window that it %s', (_what, [from = 0, to = 0], answer) => {
    const window = { from: second(40), to: second(50) }
    expect(hasLookedOver(looking(['journal', from, to]), 'journal', window)).toBe(answer)
  })

  it('covers any time without a window, and none if it is blind', () => {
    const window = { from: second(40), to: second(50) }
    expect(hasLookedOver(looking('journal'), 'journal', window)).toBe(true)
    expect(hasLookedOver(looking(['journal', 0, 1]), 'journal', null)).toBe(true)
    expect(hasLookedOver(blindTo('journal'), 'journal', null)).toBe(false)
    expect(hasLookedOver(new Map(), 'journal', window)).toBe(false)
  })
})
