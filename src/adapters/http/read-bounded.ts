/** All bytes, or `too-large` as soon as there are more than the limit; the source is then left unread. */
export async function readBounded(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | 'too-large'> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return 'too-large'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}
