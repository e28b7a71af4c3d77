import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { LONGEST_LINE, clueFinder, listLiterals, logScanner } from './find-clues.ts'
import type { ClueLine } from './find-clues.ts'
import type { Signature } from './signature.ts'

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
  it('has what the named groups matched, without unused groups', () => {
    expect(find({ text: 'was low on resource: memory', stream: 'event', reason: 'Evicted' })).toEqual([
      {
        signature: 'evicted',
        says: 'The pod was evicted.',
        strength: 'decisive',
        groups: { resource: 'memory' },
        caution: null,
      },
    ])
  })

  it('matches only the streams of the pattern', () => {
    expect(find({ text: 'low on resource: memory', stream: 'job-log' })).toEqual([])
    expect(find({ text: 'Killed', stream: 'kernel' })).toMatchObject([{ caution: 'Careful.' }])
  })

  it('matches an event only with its reason', () => {
    expect(find({ text: 'low on resource: memory', stream: 'event', reason: 'Killing' })).toEqual([])
  })

  it('tries every signature if the origin of the line is not known', () => {
    expect(find({ text: 'low on resource: memory', stream: null })).toHaveLength(1)
    expect(find({ text: 'Killed', stream: null })).toHaveLength(1)
  })

  it('matches a signature once per line, by its first pattern', () => {
    expect(find({ text: 'Killed, low on resource: memory', stream: null })).toMatchObject([{ strength: 'decisive' }])
  })

  it('reads no further than the longest line', () => {
    expect(find({ text: `${' '.repeat(LONGEST_LINE)}Killed`, stream: 'kernel' })).toEqual([])
  })
})

describe('scanning a log by its bytes', () => {
  function scan(log: string): readonly ClueLine[] {
    const lines: ClueLine[] = []
    logScanner([evicted])(Buffer.from(log), null, (line) => lines.push(line))
    return lines
  }

  it('reports each line with a clue once, with its offset', () => {
    const log = 'é\nKilled and Killed\n\nkilled, in small letters\r\nlow on resource: memory'
    expect(scan(log).map(({ text, start }) => [text, start])).toEqual([
      ['Killed and Killed', 3],
      ['low on resource: memory', 48],
    ])
  })

  it('finds the same clues as the finder', () => {
    const line = fc.constantFrom('', 'Killed', 'low on resource: memory', 'low on resource', 'é Killed', '\uFEFFKilled')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const found = lines.map((text) => ({ text, clues: find({ text, stream: null }) }))
        const matching = found.filter(({ clues }) => clues.length > 0)
        expect(scan(lines.join('\n')).map(({ text, clues }) => ({ text, clues }))).toEqual(matching)
      }),
    )
  })

  it('reads no further than the longest line', () => {
    expect(scan(`${' '.repeat(LONGEST_LINE)}Killed\nKilled`)).toHaveLength(1)
  })
})

describe('the literals of streams', () => {
  it('are those of the patterns for these streams', () => {
    expect(listLiterals([evicted, evicted], ['kernel', 'kubelet'])).toEqual(['Killed'])
    expect(listLiterals([evicted], ['event', 'kernel'])).toEqual(['low on resource', 'Killed'])
    expect(listLiterals([evicted], ['cloud'])).toEqual([])
  })
})
