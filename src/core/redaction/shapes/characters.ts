/**
 * A set of characters: 1 at the code of each member. The last entry is for everything outside ASCII. The brackets of our
 * own mark are in no set: what was redacted is not read again.
 */
export type Characters = Uint8Array

const OTHER = 128
const OPENING_MARK = 0x2039
const CLOSING_MARK = 0x203a

const known = new Map<string, Characters>()

/** From the notation of a regular expression, without its brackets: `A-Za-z0-9_-`, `^\s"'`. */
export function characters(notation: string): Characters {
  const found = known.get(notation) ?? build(notation)
  known.set(notation, found)
  return found
}

function build(notation: string): Characters {
  // The engine's own reading of the notation, so that a row means what it would mean in a regular expression.
  const pattern = new RegExp(`[${notation}]`)
  return Uint8Array.from({ length: OTHER + 1 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0))
}

export function isMember(text: string, at: number, members: Characters): boolean {
  const code = text.charCodeAt(at)
  return code < OTHER
    ? members[code] === 1
    : code !== OPENING_MARK && code !== CLOSING_MARK && members[OTHER] === 1 && at >= 0 && at < text.length
}

/** The position after the run of members that begins at `from`, at most `most` of them. */
export function runEnd(text: string, from: number, members: Characters, most = Number.POSITIVE_INFINITY): number {
  const limit = Math.min(text.length, from + most)
  let at = from
  while (at < limit && isMember(text, at, members)) at += 1
  return at
}

/** The start of the run of members that ends before `to`, at most `most` of them. */
export function runStart(text: string, to: number, members: Characters, most: number): number {
  const limit = Math.max(0, to - most)
  let at = to
  while (at > limit && isMember(text, at - 1, members)) at -= 1
  return at
}
