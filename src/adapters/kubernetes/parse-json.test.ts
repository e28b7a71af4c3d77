import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './parse-json.ts'

describe('a JSON answer', () => {
  it('that is cut anywhere is truncated, never an object', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
    fc.assert(
      fc.property(objects, fc.nat(), (object, at) => {
        const text = JSON.stringify(object)
        const cut = text.slice(0, 1 + (at % (text.length - 1)))
        expect(parseJson(cut, 'x')).toMatchObject({ kind: 'blind', reason: { code: 'truncated' } })
        expect(parseJson(text, 'x')).toEqual({ kind: 'parsed', value: JSON.parse(text) as unknown })
      }),
    )
  })

  it.each([
    ['', 'empty'],
    ['  \n', 'empty'],
    ['<html>', 'HTML'],
    ['[]', 'no object'],
    ['null', 'no object'],
    ['{"a":1}}', 'not JSON'],
    ['{"a":b}', 'not JSON'],
    ['hello', 'not JSON'],
  ])('of %j is malformed: %s', (text, words) => {
    const reason = { code: 'malformed', detail: expect.stringContaining(words) as string }
    expect(parseJson(text, 'GET /x')).toMatchObject({ kind: 'blind', reason })
  })
})
