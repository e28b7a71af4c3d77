export type ByteTail = {
  readonly take: (piece: Uint8Array) => void
  readonly isCut: () => boolean
  /** From the beginning of a line. */
  readonly bytes: () => Uint8Array
}

const LINE_FEED = 0x0a

/** The end of a stream, holding little more than is kept. */
export function createByteTail(most: number): ByteTail {
  let pieces: Uint8Array[] = []
  let held = 0
  let isCut = false
  return {
    take: (piece) => {
      pieces.push(piece.slice())
      held += piece.length
      // Seldom, so that a stream of many small pieces does not shift a long list each time.
      if (held < 2 * most) return
      const kept = Buffer.concat(pieces).subarray(-most)
      pieces = [kept]
      held = kept.length
      isCut = true
    },
    isCut: () => isCut || held > most,
    bytes: () => {
      const all = Buffer.concat(pieces)
      if (!isCut && all.length <= most) return all
      const end = all.subarray(-most)
      return end.subarray(end.indexOf(LINE_FEED) + 1)
    },
  }
}
