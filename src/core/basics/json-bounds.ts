export type JsonBounds = {
  /** Values, keys and brackets. */
  readonly mostTokens: number
  readonly deepest: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

const NOTHING = 0
const OPENS = 1
const CLOSES = 2
/** A comma or a colon comes before each further value. */
const SEPARATES = 3

const ROLES = new Uint8Array(256)
for (const [role, text] of [
  [OPENS, '[{'],
  [CLOSES, ']}'],
  [SEPARATES, ',:'],
] as const) {
  for (let index = 0; index < text.length; index += 1) ROLES[text.charCodeAt(index)] = role
}

/**
 * Whether a document from outside is cheap enough to be parsed. A million keys or levels in a few megabytes take
 * JSON.parse seconds; this takes one pass, and leaves strings alone. Malformed text may pass: the parser refuses it.
 */
export function isWithinJsonBounds(bytes: Uint8Array, { mostTokens, deepest }: JsonBounds): boolean {
  let depth = 0
  let tokens = 0
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    if (byte === QUOTE) index = endOfString(bytes, index)
    const role = ROLES[byte]
    if (role === NOTHING) continue
    if (role === CLOSES) depth -= 1
    else tokens += 1
    if (role === OPENS) depth += 1
    if (depth > deepest || tokens > mostTokens) return false
  }
  return true
}

/** The index of the closing quote, or of the end. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0
    while (bytes[end - escapes - 1] === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return bytes.length
}
