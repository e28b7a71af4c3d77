/** One message of the other side, put together from its frames. */
export type Message = { readonly kind: 'data' | 'close' | 'ping' | 'pong'; readonly payload: Buffer }

export type FrameReader = {
  /** The messages that are whole after this chunk. Throws where the bytes are no frames, or one is too large. */
  readonly take: (chunk: Uint8Array) => readonly Message[]
}

type Frame = { readonly isLast: boolean; readonly code: number; readonly payload: Buffer; readonly end: number }

const [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG] = [0x0, 0x1, 0x2, 0x8, 0x9, 0xa]
const CONTROLS: ReadonlyMap<number, Message['kind']> = new Map([
  [CLOSE, 'close'],
  [PING, 'ping'],
  [PONG, 'pong'],
])

/** Frames of a server (RFC 6455): never masked, and no extension was asked for. */
export function createFrameReader(mostBytes: number): FrameReader {
  let held: Buffer = Buffer.alloc(0)
  let parts: Buffer[] | null = null
  const take = (frame: Frame): Message | null => {
    const control = CONTROLS.get(frame.code)
    if (control !== undefined) return { kind: control, payload: frame.payload }
    const isFirst = frame.code === TEXT || frame.code === BINARY
    if (isFirst === (parts !== null) || (!isFirst && frame.code !== CONTINUATION))
      throw new Error('an unexpected frame')
    parts = [...(parts ?? []), frame.payload]
    if (parts.reduce((sum, { length }) => sum + length, 0) > mostBytes) throw new Error('a message is too large')
    if (!frame.isLast) return null
    const payload = Buffer.concat(parts)
    parts = null
    return { kind: 'data', payload }
  }
  return {
    take: (chunk) => {
      held = Buffer.concat([held, chunk])
      const messages: Message[] = []
      for (let frame = readFrame(held, mostBytes); frame !== null; frame = readFrame(held, mostBytes)) {
        held = held.subarray(frame.end)
        const message = take(frame)
        if (message !== null) messages.push(message)
      }
      return messages
    },
  }
}

/** Null if it is not whole yet. */
function readFrame(bytes: Buffer, mostBytes: number): Frame | null {
  if (bytes.length < 2) return null
  const [first, second] = [bytes.readUInt8(0), bytes.readUInt8(1)]
  if ((first & 0x70) !== 0 || (second & 0x80) !== 0) throw new Error('a frame of another form')
  const short = second & 0x7f
  const start = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < start) return null
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  if (length > mostBytes) throw new Error('a frame is too large')
  const end = start + length
  if (bytes.length < end) return null
  return { isLast: (first & 0x80) !== 0, code: first & 0x0f, payload: bytes.subarray(start, end), end }
}

/** Our answer to a ping. A client must mask; a mask of zeros changes nothing, and what is sent is no secret. */
export function writePong(payload: Uint8Array): Buffer {
  const short = payload.subarray(0, 125)
  return Buffer.concat([Buffer.from([0x80 | PONG, 0x80 | short.length, 0, 0, 0, 0]), short])
}
