import { encodeTarHeader, padding, TAR_BLOCK } from '#/adapters/bundle/tar-header.ts'

/** One file of an archive whose size is known. */
export function* tarFile(path: string, content: Uint8Array, mtimeMs: number): Generator<Uint8Array> {
  yield encodeTarHeader({ path, size: content.length, mtimeMs })
  yield content
  yield new Uint8Array(padding(content.length))
}

export function tarEnd(): Uint8Array {
  return new Uint8Array(2 * TAR_BLOCK)
}

/** Collects small pieces: a tar has to name the size of a file before its content. */
export async function* inParts(chunks: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    held.push(chunk)
    size += chunk.length
    if (size < partBytes) continue
    yield Buffer.concat(held)
    held = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(held)
}
