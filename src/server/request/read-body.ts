/** The whole body; null if it is larger. */
export async function readAtMost(source: ReadableStream<Uint8Array> | null, most: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source ?? []) {
    bytes += chunk.byteLength
    if (bytes > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}
