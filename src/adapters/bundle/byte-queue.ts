/** Bytes that came and were not used up yet, in one piece. Its room is used again and again. */
export type ByteQueue = {
  readonly push: (chunk: Uint8Array) => void
  /** Good until the next change. */
  readonly bytes: () => Buffer
  /** The first of them are used up. */
  readonly drop: (count: number) => void
}

const FIRST_ROOM = 2 * 1024 * 1024

export function createByteQueue(): ByteQueue {
  let room = Buffer.allocUnsafe(FIRST_ROOM)
  let start = 0
  let end = 0

  const makeRoom = (count: number): void => {
    if (end + count <= room.length) return
    const held = end - start
    const target = held + count > room.length ? Buffer.allocUnsafe(2 * (held + count)) : room
    target.set(room.subarray(start, end))
    room = target
    start = 0
    end = held
  }

  return {
    push: (chunk) => {
      makeRoom(chunk.length)
      room.set(chunk, end)
      end += chunk.length
    },
    bytes: () => room.subarray(start, end),
    drop: (count) => {
      start += count
    },
  }
}
