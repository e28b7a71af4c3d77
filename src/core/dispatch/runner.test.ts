import { describe, expect, it } from 'vitest'

import { compareRunners, isSameRunner, knownRunner } from './runner.ts'

const ours = { id: 7, name: 'pod-a-x1' }

describe('a runner', () => {
  it.each([
    ['the same id and name', { id: 7, name: 'pod-a-x1' }, true],
    ['the same name, and no id', { id: null, name: 'pod-a-x1' }, true],
    ['another id, with our name', { id: 8, name: 'pod-a-x1' }, false],
    ['our id at another owner, with another name', { id: 7, name: 'theirs' }, false],
    ['no id, and another name', { id: null, name: 'theirs' }, false],
  ])('is known by %s: %o %s', (_, other, same) => {
    expect(isSameRunner(ours, other)).toBe(same)
    expect(isSameRunner(other, ours)).toBe(same)
  })

  it('keeps its id if a report has none, and gets one if a report has one', () => {
    const nameOnly = { id: null, name: ours.name }
    expect(knownRunner(ours, nameOnly)).toEqual(ours)
    expect(knownRunner(nameOnly, ours)).toEqual(ours)
    expect(knownRunner(ours, { id: null, name: 'theirs' })).toEqual({ id: null, name: 'theirs' })
  })

  it('is ordered by id, then by name', () => {
    const inOrder = [
      { id: null, name: 'a' },
      { id: null, name: 'b' },
      { id: 7, name: 'b' },
      { id: 8, name: 'a' },
      { id: 8, name: 'b' },
    ]
    expect(inOrder.toReversed().toSorted(compareRunners)).toEqual(inOrder)
    expect(compareRunners(ours, { ...ours })).toBe(0)
  })
})
