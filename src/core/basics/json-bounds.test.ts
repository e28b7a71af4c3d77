import { describe, expect, it } from 'vitest'
import { isWithinJsonBounds } from './json-bounds.ts'

const BOUNDS = { mostTokens: 10, deepest: 3 }
const check = (text: string): boolean => isWithinJsonBounds(new TextEncoder().encode(text), BOUNDS)

describe('the bounds of JSON from outside', () => {
  it.each([
    ['a document that is flat and short', '{"a":1,"b":[2,3]}'],
    ['brackets and commas in a string', `{"a":"${'[,{:'.repeat(100)}"}`],
    ['escaped quotes in a string', String.raw`{"a":"\"[[[[[[\\","b":1}`],
    ['text that never ends', '{"a":"[[[[[['],
    ['nothing', ''],
  ])('admit %s', (_, text) => {
    expect(check(text)).toBe(true)
  })

  it.each([
    ['a document that is too deep', '[[[[1]]]]'],
    ['too many keys', `{${Array.from({ length: 6 }, (_, key) => `"${key}":1`).join(',')}}`],
    ['too many items', `[${'1,'.repeat(11)}1]`],
    ['brackets after a string that ends with a backslash', String.raw`{"a":"\\","b":[[[[`],
  ])('refuse %s', (_, text) => {
    expect(check(text)).toBe(false)
  })
})
