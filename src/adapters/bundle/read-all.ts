import { BundleRefusal } from './bundle-refusal.ts'

/** All bytes in one piece, at most `maxBytes`: a file may have grown since it was measured. */
export async function readAll(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new BundleRefusal(`it is over ${maxBytes} bytes`)
    pieces.push(chunk)
  }
  return Buffer.concat(pieces)
}
