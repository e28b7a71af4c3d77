import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draws } from '#test/tiers/long-run.ts'

import { literalAutomaton } from './literal-automaton.ts'

function occurring(literals: readonly string[], text: string): readonly number[] {
  const bytes = new TextEncoder().encode(text)
  const found = new Set<number>()
  literalAutomaton(literals).search(bytes, 0, bytes.length, (literal) => found.add(literal))
  return [...found].sort((a, b) => a - b)
}

describe('the literal automaton', () => {
  it('finds literals inside each other, at both ends and in any case', () => {
    expect(occurring(['he', 'she', 'his', 'hers'], 'uSHErs')).toEqual([0, 1, 3])
    expect(occurring(['a'], 'b')).toEqual([])
  })

  it('finds exactly what a plain search finds', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'ä', ' '), minLength: 1, maxLength: 5 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'ä', ' '), maxLength: 40 })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), text, (literals, line) => {
        const plain = literals.flatMap((literal, index) =>
          asciiLower(line).includes(asciiLower(literal)) ? [index] : [],
        )
        expect(occurring(literals, line)).toEqual(plain)
      }),
      { numRuns: draws(500) },
    )
  })

  it('finds where the first literal ends, and -1 if there is none', () => {
    const automaton = literalAutomaton(['oom', 'kill'])
    const bytes = new TextEncoder().encode('an OOM kill')
    expect(automaton.firstEnd(bytes, 0, bytes.length)).toBe(5)
    expect(automaton.firstEnd(bytes, 6, bytes.length)).toBe(10)
    expect(automaton.firstEnd(bytes, 8, bytes.length)).toBe(-1)
  })

  it('finds the same in an escaped text as in the text itself', () => {
    const escapes = new Uint8Array(256)
    for (const [letter, byte] of [
      ['"', 34],
      ['\\', 92],
      ['n', 10],
    ] as const) {
      escapes[letter.charCodeAt(0)] = byte
    }
    const piece = fc.string({ unit: fc.constantFrom('n', 'N', '"', '\\', '\n', 'a'), minLength: 1, maxLength: 4 })
    const text = fc.string({ unit: fc.constantFrom('n', 'N', '"', '\\', '\n', 'a'), maxLength: 20 })
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 3 }), text, (literals, line) => {
        const bytes = new TextEncoder().encode(JSON.stringify(line))
        const isFound = literalAutomaton(literals).occursEscaped(bytes, 1, bytes.length - 1, escapes)
        expect(isFound).toBe(literals.some((literal) => asciiLower(line).includes(asciiLower(literal))))
      }),
      { numRuns: draws(1000) },
    )
  })

  it('rejects an empty literal, which would pass every line', () => {
    expect(() => literalAutomaton([''])).toThrow('empty')
  })
})

function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
