import { describe, expect, it } from 'vitest'
import { CREDENTIAL_FORMATS } from '#/core/redaction/formats/index.ts'
import { matchShape, parseShape, remembering } from './shape.ts'

describe('a shape', () => {
  it.each([
    ['a group that repeats', '(?:abc)+def'],
    ['alternatives', 'abc|def'],
    ['a run before what it can contain', 'abc[a-z]{3,}xyz'],
    ['two open runs in a row', 'abc[a-z]{3,}[a-z0-9]{4,}'],
    ['an open run before the literal', '[a-z]{3,}abc'],
    ['no literal', '[a-z]{30}'],
    ['a literal that is everywhere', 'a_[a-z]{30}'],
  ])('cannot have %s, which could make a search go back', (_, notation) => {
    expect(() => parseShape(notation)).toThrow(TypeError)
  })

  it('means what a regular expression of the same notation means', () => {
    const text = 'x sk_live_aB3dE6gH9jK2mN5pQ8 y v1.0-0123456789abcdef01234567-ff'
    for (const notation of [
      'sk_live_[A-Za-z0-9]{16,}',
      String.raw`v1\.0-[a-f0-9]{24}-[a-f0-9]{2}`,
      'live[a-z_]{1,3}',
    ]) {
      const expected = new RegExp(notation).exec(text)
      const found = matchShape(remembering(parseShape(notation)), text, expected?.index ?? -1, 1)
      expect(found).toEqual({
        from: expected?.index,
        to: (expected?.index ?? 0) + (expected?.[0].length ?? 0),
        isCut: false,
      })
    }
  })

  it('reads a long run once, for all places in it that could begin a match', () => {
    const memory = remembering(parseShape('abc[a-z]{5,}\\.'))
    const text = 'abc'.repeat(1000)
    for (let at = 0; at < text.length - 3; at += 3) expect(matchShape(memory, text, at, 7)).toBeNull()
    expect([...memory.runs]).toEqual([3, text.length, 7, 0, 0, 0])
  })
})

describe('the table of formats', () => {
  it('has a source and shapes that can be parsed in every row, and no row twice', () => {
    for (const { shapes, source } of CREDENTIAL_FORMATS) {
      expect(source).toMatch(/^https:\/\//)
      for (const shape of shapes) expect(parseShape(shape).notation).toBe(shape)
    }
    const names = CREDENTIAL_FORMATS.map(({ name }) => name)
    const shapes = CREDENTIAL_FORMATS.flatMap((format) => format.shapes)
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(shapes).size).toBe(shapes.length)
  })
})
