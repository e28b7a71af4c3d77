import { crc32 } from 'node:zlib'

/** Not text in any encoding that a log has, so that a search for the next frame seldom stops in between. */
const MAGIC = Buffer.from([0xf5, 0x53, 0x42, 0xfe])
const LENGTH_AT = 4
const TIME_AT = 8
const CHECKSUM_AT = 16
export const FRAME_HEADER_BYTES = 20

/** Where a whole record is in a segment. */
export type FramePlace = { readonly start: number; readonly length: number; readonly recordedAt: number }

export type Scanned = {
  readonly frames: readonly FramePlace[]
  /** Bytes that belong to no whole record. */
  readonly damagedBytes: number
}

/**
 * A record in a segment: marker, length, time, checksum, payload. The salt is the segment's own, so that a payload cannot
 * contain what would pass for a record after damage.
 */
export function frame(payload: Uint8Array, { recordedAt, salt }: { recordedAt: number; salt: number }): Buffer {
  const bytes = Buffer.alloc(FRAME_HEADER_BYTES + payload.length)
  MAGIC.copy(bytes)
  bytes.writeUInt32LE(payload.length, LENGTH_AT)
  bytes.writeDoubleLE(recordedAt, TIME_AT)
  bytes.set(payload, FRAME_HEADER_BYTES)
  bytes.writeUInt32LE(checksum(bytes, salt), CHECKSUM_AT)
  return bytes
}

/** Every whole record of a segment, also after a damaged part. */
export function scanFrames(segment: Buffer, salt: number): Scanned {
  const frames: FramePlace[] = []
  let damagedBytes = 0
  for (let at = 0; at < segment.length;) {
    const whole = frameAt(segment, at, salt)
    if (whole !== null) {
      frames.push(whole)
      at = whole.start + whole.length
      continue
    }
    const marker = segment.indexOf(MAGIC, at + 1)
    const next = marker === -1 ? segment.length : marker
    damagedBytes += next - at
    at = next
  }
  return { frames, damagedBytes }
}

function frameAt(segment: Buffer, at: number, salt: number): FramePlace | null {
  const start = at + FRAME_HEADER_BYTES
  if (start > segment.length || !segment.subarray(at, at + MAGIC.length).equals(MAGIC)) return null
  const length = segment.readUInt32LE(at + LENGTH_AT)
  if (start + length > segment.length) return null
  const bytes = segment.subarray(at, start + length)
  if (bytes.readUInt32LE(CHECKSUM_AT) !== checksum(bytes, salt)) return null
  return { start, length, recordedAt: bytes.readDoubleLE(TIME_AT) }
}

function checksum(bytes: Buffer, salt: number): number {
  return crc32(bytes.subarray(FRAME_HEADER_BYTES), crc32(bytes.subarray(LENGTH_AT, CHECKSUM_AT), salt))
}
