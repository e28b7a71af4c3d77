import { describe, expect, it } from 'vitest'

import { byTime, sourceGroup } from '#/core/why/fact.ts'
import { journalFact } from '#test/why/evidence.ts'

describe('the source group of a fact', () => {
  it.each([
    ['logs/ci/linux-x1/runner', 'logs'],
    ['logs/ci/linux-x1/dind', 'logs'],
    ['journal/n1', 'journal'],
    ['journal', 'journal'],
    ['host/n1', 'host'],
    ['kubernetes/pods', 'kubernetes/pods'],
    ['kubernetes/stats/n1', 'kubernetes/stats'],
    ['github/jobs', 'github/jobs'],
  ])('%s counts as %s', (source, voice) => {
    expect(sourceGroup({ source })).toBe(voice)
  })
})

describe('facts', () => {
  it('are ordered by time, then by position in the source; without a time they come last', () => {
    const facts = [
      journalFact('d', { at: null }),
      journalFact('c', { at: 5, order: 2 }),
      journalFact('b', { at: 5, order: 1 }),
      journalFact('a', { at: 4, order: 9 }),
    ]
    expect(facts.toSorted(byTime).map(({ is }) => is)).toEqual(['a', 'b', 'c', 'd'])
  })
})
