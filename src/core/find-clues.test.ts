import { describe, expect, it } from 'vitest'

import { LONGEST_LINE, clueFinder } from '#/core/find-clues.ts'
import type { Signature } from '#/core/signature.ts'

const examples = { matches: ['x'], rejects: ['y'] }
const evicted: Signature = {
  id: 'evicted',
  says: 'The pod was evicted.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Evicted'],
      regex: /low on resource: (?<resource>\w+)(?: of (?<node>\w+))?/,
      literals: ['low on resource'],
      strength: 'decisive',
      examples,
    },
    { streams: ['kernel'], regex: /Killed/, literals: ['Killed'], strength: 'weak', caution: 'Careful.', examples },
  ],
}
const find = clueFinder([evicted])

describe('finding clues in a line', () => {
  it('tells what the named groups captured, and leaves out those that took no part', () => {
    expect(find({ text: 'was low on resource: memory', stream: 'event', reason: 'Evicted' })).toEqual([
      {
        signature: 'evicted',
        says: 'The pod was evicted.',
        strength: 'decisive',
        captures: { resource: 'memory' },
        caution: null,
      },
    ])
  })

  it('listens only to the streams that may say such a thing', () => {
    expect(find({ text: 'low on resource: memory', stream: 'job-log' })).toEqual([])
    expect(find({ text: 'Killed', stream: 'kernel' })).toMatchObject([{ caution: 'Careful.' }])
  })

  it('listens to an event only under its reason', () => {
    expect(find({ text: 'low on resource: memory', stream: 'event', reason: 'Killing' })).toEqual([])
  })

  it('lets every signature speak when nobody knows where the line came from', () => {
    expect(find({ text: 'low on resource: memory', stream: null })).toHaveLength(1)
    expect(find({ text: 'Killed', stream: null })).toHaveLength(1)
  })

  it('lets a signature speak once a line, by the first of its patterns', () => {
    expect(find({ text: 'Killed, low on resource: memory', stream: null })).toMatchObject([{ strength: 'decisive' }])
  })

  it('reads no further than the longest line', () => {
    expect(find({ text: `${' '.repeat(LONGEST_LINE)}Killed`, stream: 'kernel' })).toEqual([])
  })
})
