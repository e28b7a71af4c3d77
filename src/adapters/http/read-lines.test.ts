import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Line } from './read-lines.ts'
import { readLines } from './read-lines.ts'

async function* inChunks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (let index = 0; from < bytes.byteLength; index += 1) {
    const size = sizes[index % sizes.length] ?? 1
    yield bytes.subarray(from, from + size)
    from += size
  }
}

async function read(text: string, sizes: readonly number[], maxLineBytes: number): Promise<readonly Line[]> {
  const lines: Line[] = []
  for await (const line of readLines(inChunks(Buffer.from(text), sizes), maxLineBytes)) lines.push(line)
  return lines
}

describe('the reader of lines', () => {
  it('gives the same lines however the bytes arrive', async () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\n')))
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(lines, sizes, async (texts, cuts) => {
        const lines = await read(texts.map((text) => `${text}\n`).join(''), cuts, 10_000)
        expect(lines.map(({ text }) => text)).toEqual(texts)
        expect(lines.every(({ cut, ended }) => !cut && ended)).toBe(true)
      }),
    )
  })

  it('cuts a line that is too long, passes over its rest, and goes on with the next', async () => {
    const lines = await read('12345678901\n1234567890\nshort\n', [3], 10)
    expect(lines).toEqual([
      { text: '1234567890', cut: true, ended: true },
      { text: '1234567890', cut: false, ended: true },
      { text: 'short', cut: false, ended: true },
    ])
  })

  it('marks a last line without an end, which may be a part', async () => {
    expect(await read('whole\npar', [4], 100)).toEqual([
      { text: 'whole', cut: false, ended: true },
      { text: 'par', cut: false, ended: false },
    ])
    expect(await read('', [4], 100)).toEqual([])
  })
})
