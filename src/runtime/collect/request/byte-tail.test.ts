import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createByteTail } from './byte-tail.ts'

function readTail(pieces: readonly string[], most: number) {
  const tail = createByteTail(most)
  for (const piece of pieces) tail.take(Buffer.from(piece))
  return { text: Buffer.from(tail.bytes()).toString('latin1'), isCut: tail.isCut() }
}

describe('the end of a stream', () => {
  it('is all of it where it is short', () => {
    expect(readTail(['a\n', 'b'], 3)).toEqual({ text: 'a\nb', isCut: false })
    expect(readTail([], 3)).toEqual({ text: '', isCut: false })
  })

  it('begins with a line, however the stream is cut into pieces', () => {
    const line = fc.string({ unit: fc.constantFrom('x', 'y'), maxLength: 5 })
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 9 }),
        (lines, most, size) => {
          const all = lines.map((text) => `${text}\n`).join('')
          const pieces = all.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
          const { text, isCut } = readTail(pieces, most)
          expect(isCut).toBe(all.length > most)
          expect(text.length).toBeLessThanOrEqual(most)
          expect(all.endsWith(text)).toBe(true)
          if (isCut) expect(all[all.length - text.length - 1]).toBe('\n')
          else expect(text).toBe(all)
        },
      ),
    )
  })
})
