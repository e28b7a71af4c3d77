import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { checkRows } from './check-rows.ts'

const table = {
  name: 'evidence',
  columns: [
    { name: 'uid', type: 'text' },
    { name: 'content', type: 'bytea' },
    { name: 'verdict', type: 'json' },
  ],
}

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const hex = (content: Buffer): string => String.raw`\\x` + content.toString('hex')
const line = gzipSync('a line')
const good = [
  `u1\t${hex(line)}\t{"a": "tab \\\\t, quote \\\\" and ä"}\n`,
  'u2\t\\N\t\\N\n',
  `u3\t${hex(Buffer.from('plain'))}\t[1]\n`,
].join('')

describe('the rows of a backup', () => {
  it.each([1, 7, 100_000])('are read in pieces of %i bytes', async (size) => {
    expect(await checkRows(table, pieces(good, size))).toEqual({ compressed: 1, documents: 2, unusable: [] })
  })

  it('name a value that does not open and a document that is none', async () => {
    const bad = `u1\t${hex(line.subarray(0, -3))}\t{}\nu2\t\\N\t{"a":\n`
    expect((await checkRows(table, pieces(bad, 10))).unusable).toEqual([
      'a compressed value in row 1 of evidence does not open',
      'a document in row 2 of evidence is not JSON',
    ])
  })

  it.each([`u1\t\\N\n`, 'u1\t\\N\t{}\textra\n', 'u1\t\\N\t{}'])(
    'are damaged when one is not whole: %j',
    async (text) => {
      await expect(checkRows(table, pieces(text, 3))).rejects.toThrow('damaged')
    },
  )
})
