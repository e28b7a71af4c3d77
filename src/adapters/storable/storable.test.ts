import { describe, expect, it } from 'vitest'
import { onStorable, storable } from './storable.ts'

describe('a text that is to be stored', () => {
  it.each([
    ['a NUL', 'a\0b', 'a\uFFFDb'],
    ['half of a surrogate pair', 'a\uD800b', 'a\uFFFDb'],
    ['the other half', 'a\uDC00b', 'a\uFFFDb'],
    ['several', '\0\0', '\uFFFD\uFFFD'],
  ])('loses %s, and a mark says so', (_, text, stored) => {
    expect(storable(text)).toBe(stored)
    expect(storable({ list: [text, 1] })).toEqual({ list: [stored, 1] })
    expect(storable({ [text]: null })).toEqual({ [stored]: null })
  })

  it('is the same thing, not a copy, when nothing is wrong with it', () => {
    const document = { text: 'ü\u{1F600}\n', list: [null, undefined, 1.5, true], nested: Object.create(null) as object }
    expect(storable(document)).toBe(document)
  })

  it('is looked for in lists and documents only', () => {
    const bytes = Uint8Array.from([0, 216])
    const date = new Date(0)
    const { content, at, name } = storable({ content: bytes, at: date, name: '\0' })
    expect(content).toBe(bytes)
    expect(at).toBe(date)
    expect(name).toBe('\uFFFD')
  })

  it('reaches a call in every argument, and functions stay what they are', () => {
    const choose = () => 'chosen'
    const calls = onStorable({ match: (text: string, then: () => string) => [text, then()] })
    expect(calls.match('\0', choose)).toEqual(['\uFFFD', 'chosen'])
  })
})
