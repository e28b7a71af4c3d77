import type { BodyPlace } from './body-room.ts'

export type ReceivedBody =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** It had to make room for others. */
  | { readonly kind: 'evicted' }

const FIRST_BYTES = 32 * 1024

/**
 * The whole body, as far as it has a place. Its chunks are copied together as they come: each one that is kept costs hundreds
 * of bytes, and anybody can send a body in chunks of one byte.
 */
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
    let gathered = Buffer.alloc(FIRST_BYTES)
    let bytes = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (place.signal.aborted) return { kind: 'evicted' }
      if (done) return { kind: 'body', bytes: gathered.subarray(0, bytes) }
      if (bytes + value.byteLength > most) {
        stop()
        return { kind: 'too-large' }
      }
      place.grow(value.byteLength)
      if (bytes + value.byteLength > gathered.length) gathered = enlarged(gathered, bytes + value.byteLength)
      gathered.set(value, bytes)
      bytes += value.byteLength
    }
  } finally {
    place.signal.removeEventListener('abort', stop)
  }
}

function enlarged(buffer: Buffer, least: number): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(Math.max(least, 2 * buffer.length))
  larger.set(buffer)
  return larger
}
