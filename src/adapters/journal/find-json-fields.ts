/** The fields of a journal's line that anybody here reads. */
export const FIELDS = {
  __REALTIME_TIMESTAMP: 0,
  __MONOTONIC_TIMESTAMP: 1,
  _SOURCE_REALTIME_TIMESTAMP: 2,
  _SOURCE_MONOTONIC_TIMESTAMP: 3,
  _BOOT_ID: 4,
  _HOSTNAME: 5,
  _SYSTEMD_UNIT: 6,
  UNIT: 7,
  SYSLOG_IDENTIFIER: 8,
  _PID: 9,
  SYSLOG_PID: 10,
  _COMM: 11,
  PRIORITY: 12,
  _TRANSPORT: 13,
  MESSAGE: 14,
} as const

export type Field = (typeof FIELDS)[keyof typeof FIELDS]

/** Where the value of each field stands in a line, as JSON writes it; `ABSENT` where the line does not have it. */
export type Places = { readonly starts: Int32Array; readonly ends: Int32Array }

export const ABSENT = -1

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN = 0x7b
const CLOSE = 0x7d
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const FIRST_PRINTABLE = 0x20

const SIMPLE_ESCAPES: ReadonlyMap<string, number> = new Map([
  ['"', QUOTE],
  ['\\', BACKSLASH],
  ['/', 0x2f],
  ['b', 0x08],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
])

/** What stands for itself inside a text. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= FIRST_PRINTABLE && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
)

/** What the byte after a backslash stands for, 0 where it stands for nothing or begins something longer, as `\u0041`. */
export const ESCAPES = Uint8Array.from(
  { length: 256 },
  (_, byte) => SIMPLE_ESCAPES.get(String.fromCodePoint(byte)) ?? 0,
)

const ROOT = 1
const NAMES = buildNames()

export function newPlaces(): Places {
  const count = Object.keys(FIELDS).length
  return { starts: new Int32Array(count), ends: new Int32Array(count) }
}

/**
 * Finds the fields of a line `{"NAME":"TEXT",…}` in one pass over its bytes, and answers where the next line begins. -1 for
 * every other line, be it JSON of another shape, cut, or no JSON: only a parser can read it. Of a name that is
 * there twice the last counts, as for the parser.
 */
export function findJsonFields(bytes: Uint8Array, start: number, places: Places): number {
  places.starts.fill(ABSENT)
  if (bytes[start] !== OPEN) return -1
  for (let at = start + 1; bytes[at] === QUOTE;) {
    const name = followName(bytes, at + 1)
    const followed = at + 1 + (NAMES.lengths[name] ?? 0)
    const nameEnd = endOfText(bytes, followed)
    if (nameEnd < 0 || bytes[nameEnd + 1] !== COLON || bytes[nameEnd + 2] !== QUOTE) return -1
    const textEnd = endOfText(bytes, nameEnd + 3)
    if (textEnd < 0) return -1
    const field = nameEnd === followed ? (NAMES.fields[name] ?? ABSENT) : ABSENT
    if (field !== ABSENT) {
      places.starts[field] = nameEnd + 3
      places.ends[field] = textEnd
    }
    if (bytes[textEnd + 1] !== COMMA) return endOfLine(bytes, textEnd + 1)
    at = textEnd + 2
  }
  return -1
}

function endOfLine(bytes: Uint8Array, brace: number): number {
  if (bytes[brace] !== CLOSE) return -1
  const feed = bytes[brace + 1] === CARRIAGE_RETURN ? brace + 2 : brace + 1
  return bytes[feed] === LINE_FEED ? feed + 1 : -1
}

/** Where the closing quote stands, or -1. Behind the last byte nothing is plain. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let index = start; ; index += 2) {
    while (PLAIN[bytes[index] ?? 0] === 1) index += 1
    if (bytes[index] === QUOTE) return index
    if (bytes[index] !== BACKSLASH || ESCAPES[bytes[index + 1] ?? 0] === 0) return -1
  }
}

/** The names of the fields as a trie, so that a name is known when its end is found. */
type NameTrie = {
  /** By state and byte, 256 to a state; 0 where no name goes on so. */
  readonly steps: Uint8Array
  readonly lengths: Uint8Array
  /** The field whose name a state is, or `ABSENT`. */
  readonly fields: Int8Array
}

/** The state to which the bytes lead before they leave every name. */
function followName(bytes: Uint8Array, start: number): number {
  let state = ROOT
  for (let index = start; ; index += 1) {
    const next = NAMES.steps[(state << 8) | (bytes[index] ?? 0)] ?? 0
    if (next === 0) return state
    state = next
  }
}

function buildNames(): NameTrie {
  const names = Object.entries(FIELDS)
  const size = ROOT + 1 + names.reduce((sum, [name]) => sum + name.length, 0)
  const trie = { steps: new Uint8Array(size * 256), lengths: new Uint8Array(size), fields: new Int8Array(size) }
  trie.fields.fill(ABSENT)
  let states = ROOT + 1
  for (const [name, field] of names) {
    let state = ROOT
    for (const [index, byte] of Buffer.from(name).entries()) {
      const step = (state << 8) | byte
      if (trie.steps[step] === 0) {
        trie.steps[step] = states
        trie.lengths[states] = index + 1
        states += 1
      }
      state = trie.steps[step] ?? 0
    }
    trie.fields[state] = field
  }
  return trie
}
