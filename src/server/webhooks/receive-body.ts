import type { BodyPlace } from './body-room.ts'

export type ReceivedBody =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** It had to make room for others. */
  | { readonly kind: 'evicted' }

/** The whole body, as far as it has a place. */
export async function receiveBody(
  source: ReadableStream<Uint8Array> | null,
  most: number,
  place: BodyPlace,
): Promise<ReceivedBody> {
  if (source === null) return { kind: 'body', bytes: Buffer.alloc(0) }
  const reader = source.getReader()
  const stop = (): void => void reader.cancel().catch(() => {})
  place.signal.addEventListener('abort', stop, { once: true })
  try {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (place.signal.aborted) return { kind: 'evicted' }
      if (done) return { kind: 'body', bytes: Buffer.concat(chunks, bytes) }
      bytes += value.byteLength
      if (bytes > most) {
        stop()
        return { kind: 'too-large' }
      }
      place.grow(value.byteLength)
      chunks.push(value)
    }
  } finally {
    place.signal.removeEventListener('abort', stop)
  }
}
