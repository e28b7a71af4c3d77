/** One line without its end. */
export type Line = {
  readonly text: string
  /** Longer than the limit: the text is its beginning, the rest was passed over. */
  readonly cut: boolean
  /** False for the last line of a source that ended without a line end: it may be a part. */
  readonly ended: boolean
}

const LINE_FEED = 10

/** Holds at most one line of the limited size, and one chunk of the source. */
export async function* readLines(source: AsyncIterable<Uint8Array>, maxLineBytes: number): AsyncGenerator<Line, void> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  let cut = false
  const keep = (part: Uint8Array): void => {
    const room = maxLineBytes - heldBytes
    if (part.byteLength > room) cut = true
    if (room <= 0 || part.byteLength === 0) return
    const kept = part.subarray(0, room)
    held.push(kept)
    heldBytes += kept.byteLength
  }
  const take = (ended: boolean): Line => {
    const line = { text: Buffer.concat(held, heldBytes).toString('utf8'), cut, ended }
    held = []
    heldBytes = 0
    cut = false
    return line
  }
  for await (const chunk of source) {
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      keep(chunk.subarray(from, end))
      yield take(true)
      from = end + 1
    }
    keep(chunk.subarray(from))
  }
  if (heldBytes > 0) yield take(false)
}
