/** One line of a stream, without its line feed. */
export type RawLine = {
  readonly bytes: Uint8Array
  /** False for a last line that no line feed ends. */
  readonly isEnded: boolean
  /** True where the line was longer than allowed; `bytes` is then its beginning. */
  readonly isOverlong: boolean
}

export type LineSplitter = {
  readonly push: (chunk: Uint8Array) => readonly RawLine[]
  readonly end: () => RawLine | null
  /** True between chunks that cut a line in two. */
  readonly isHolding: () => boolean
}

const LINE_FEED = 0x0a

/** Cuts chunks into lines, holding at most one line of `maxLineBytes`. */
export function createLineSplitter(maxLineBytes: number): LineSplitter {
  let pieces: Uint8Array[] = []
  let length = 0
  let isOverlong = false

  const hold = (piece: Uint8Array): void => {
    const room = maxLineBytes - length
    if (piece.length > room) isOverlong = true
    if (room <= 0 || piece.length === 0) return
    pieces.push(piece.subarray(0, room))
    length += Math.min(room, piece.length)
  }

  const release = (isEnded: boolean): RawLine => {
    const [only] = pieces
    const bytes = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
    const line = { bytes, isEnded, isOverlong }
    pieces = []
    length = 0
    isOverlong = false
    return line
  }

  const isHolding = (): boolean => length > 0 || isOverlong

  return {
    push: (chunk) => {
      const lines: RawLine[] = []
      let start = 0
      for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
        hold(chunk.subarray(start, feed))
        lines.push(release(true))
        start = feed + 1
      }
      hold(chunk.subarray(start))
      return lines
    },
    end: () => (isHolding() ? release(false) : null),
    isHolding,
  }
}
