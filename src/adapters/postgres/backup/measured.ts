import { createHash } from 'node:crypto'

const NEWLINE = 0x0a

export type Measure = { readonly rows: number; readonly bytes: number; readonly sha256: string }

/** Counts what passes. In the text format of `copy` each row ends with a newline, and a newline in a value is escaped. */
export function measure(): { readonly add: (chunk: Uint8Array) => void; readonly result: () => Measure } {
  const hash = createHash('sha256')
  let rows = 0
  let bytes = 0
  const add = (chunk: Uint8Array) => {
    hash.update(chunk)
    bytes += chunk.length
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) rows += 1
  }
  return { add, result: () => ({ rows, bytes, sha256: hash.digest('hex') }) }
}

export async function* measured(
  chunks: AsyncIterable<Uint8Array>,
  add: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    add(chunk)
    yield chunk
  }
}
