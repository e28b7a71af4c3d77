import { describe, expect, it } from 'vitest'
import { bodyRoom } from './body-room.ts'
import { receiveBody } from './receive-body.ts'

const place = () => bodyRoom({ bodies: 10, bytes: 1_000_000 }).enter()

describe('the body of a webhook', () => {
  it('is copied as it comes: a body in chunks of one byte would cost hundreds of bytes for each', async () => {
    // Whoever keeps the chunks finds all of them overwritten at the end.
    const chunk = new Uint8Array(1)
    const text = 'a body in very small pieces '.repeat(3000)
    let next = 0
    const source = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          if (next === text.length) return controller.close()
          chunk[0] = text.charCodeAt(next)
          next += 1
          controller.enqueue(chunk)
        },
      },
      { highWaterMark: 0 },
    )
    const received = await receiveBody(source, text.length, place())
    expect(received).toMatchObject({ kind: 'body' })
    expect(received.kind === 'body' && received.bytes.toString()).toBe(text)
  })

  it('is not kept past the limit', async () => {
    const source = new Blob(['x'.repeat(1001)]).stream()
    expect(await receiveBody(source, 1000, place())).toEqual({ kind: 'too-large' })
  })
})
