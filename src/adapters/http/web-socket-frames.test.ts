import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFrameReader, writePong } from './web-socket-frames.ts'

function frame(first: number, payload: Buffer): Buffer {
  const { length } = payload
  if (length < 126) return Buffer.concat([Buffer.from([first, length]), payload])
  const head = Buffer.alloc(length < 65_536 ? 4 : 10)
  head[0] = first
  head[1] = length < 65_536 ? 126 : 127
  if (length < 65_536) head.writeUInt16BE(length, 2)
  else head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, payload])
}

describe('frames of a WebSocket', () => {
  it('are the same messages however they are cut', () => {
    const payloads = fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 6 })
    fc.assert(
      fc.property(payloads, fc.integer({ min: 1, max: 50 }), (sent, size) => {
        const bytes = Buffer.concat(sent.map((one) => frame(0x82, Buffer.from(one))))
        const reader = createFrameReader(1000)
        const got = []
        for (let at = 0; at < bytes.length; at += size) got.push(...reader.take(bytes.subarray(at, at + size)))
        expect(got.map(({ payload }) => payload.toString('hex'))).toEqual(
          sent.map((one) => Buffer.from(one).toString('hex')),
        )
      }),
    )
  })

  it('are put together over a ping in between, also long ones', () => {
    const [long, end] = [Buffer.alloc(70_000, 1), Buffer.from('end')]
    const bytes = [
      frame(0x02, long),
      frame(0x89, Buffer.from('x')),
      frame(0x00, end),
      frame(0x80, end),
      frame(0x88, Buffer.alloc(0)),
    ]
    const got = createFrameReader(100_000).take(Buffer.concat(bytes))
    expect(got.map(({ kind, payload }) => [kind, payload.length])).toEqual([
      ['ping', 1],
      ['data', 70_006],
      ['close', 0],
    ])
  })

  it.each([
    ['masked', Buffer.from([0x82, 0x81, 0, 0, 0, 0, 1])],
    ['compressed', Buffer.from([0xc2, 0x01, 1])],
    ['a continuation of nothing', Buffer.from([0x80, 0x01, 1])],
    ['of an unknown kind', Buffer.from([0x83, 0x01, 1])],
    ['too large', frame(0x82, Buffer.alloc(1001))],
    ['too large together', Buffer.concat([frame(0x02, Buffer.alloc(900)), frame(0x80, Buffer.alloc(900))])],
  ])('are refused if one is %s', (_title, bytes) => {
    expect(() => createFrameReader(1000).take(bytes)).toThrow(/frame|too large/)
  })

  it('answer a ping with its payload, masked', () => {
    expect([...writePong(Buffer.from('ab'))]).toEqual([0x8a, 0x82, 0, 0, 0, 0, 97, 98])
  })
})
