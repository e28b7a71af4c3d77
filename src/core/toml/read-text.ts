import { TomlFault } from './toml-cursor.ts'
import type { TomlCursor } from './toml-cursor.ts'

// oxlint-disable no-control-regex -- TOML forbids control characters but the tab inside a text
const PLAIN_BASIC = /[^"\\\0-\u0008\u000A-\u001F\u007F]+/y
const PLAIN_LITERAL = /[^'\0-\u0008\u000A-\u001F\u007F]+/y
// oxlint-enable no-control-regex
const QUOTES = { '"': /"+/y, "'": /'+/y } as const
const HEX = { u: /[0-9A-Fa-f]{4}/y, U: /[0-9A-Fa-f]{8}/y } as const

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
}

type Quote = keyof typeof QUOTES

/** A text in any of the four kinds of quotes; the cursor stands at the first quote. */
export function readText(cursor: TomlCursor): string {
  const quote: Quote = cursor.here === "'" ? "'" : '"'
  if (!cursor.startsWith(quote.repeat(3))) return readLine(cursor, quote)
  const start = cursor.at
  cursor.at += 3
  cursor.takeBreak()
  return readLines(cursor, quote, start)
}

/** On one line: also what a quoted key is. */
export function readLine(cursor: TomlCursor, quote: Quote): string {
  const start = cursor.at
  cursor.at += 1
  const parts: string[] = []
  for (;;) {
    const plain = cursor.take(quote === '"' ? PLAIN_BASIC : PLAIN_LITERAL)
    if (plain !== null) parts.push(plain)
    const { here } = cursor
    if (here === quote) {
      cursor.at += 1
      return parts.join('')
    }
    if (here === '\\') parts.push(readEscape(cursor))
    else if (here === '' || here === '\n' || here === '\r')
      throw new TomlFault(start, `the text has no closing ${quote}`)
    else throw cursor.fault('a control character has to be written as \\uXXXX')
  }
}

function readLines(cursor: TomlCursor, quote: Quote, start: number): string {
  const parts: string[] = []
  for (;;) {
    const plain = cursor.take(quote === '"' ? PLAIN_BASIC : PLAIN_LITERAL)
    if (plain !== null) parts.push(plain)
    if (cursor.isAtEnd) throw new TomlFault(start, `the text has no closing ${quote.repeat(3)}`)
    const { at, here } = cursor
    if (here === quote) {
      const { inside, isClosed } = readQuotes(cursor, quote)
      parts.push(inside)
      if (isClosed) return parts.join('')
    } else if (cursor.takeBreak()) parts.push(cursor.text.slice(at, cursor.at))
    else if (here !== '\\') throw cursor.fault('a control character has to be written as \\uXXXX')
    else if (!skipFold(cursor)) parts.push(readEscape(cursor))
  }
}

/** Up to two quotes may stand inside, also just before the closing three. */
function readQuotes(cursor: TomlCursor, quote: Quote): { readonly inside: string; readonly isClosed: boolean } {
  const { at } = cursor
  const quotes = cursor.take(QUOTES[quote]) ?? ''
  if (quotes.length < 3) return { inside: quotes, isClosed: false }
  if (quotes.length > 5) throw new TomlFault(at, `there are ${quotes.length} quotes in a row`)
  return { inside: quotes.slice(3), isClosed: true }
}

const FOLD = /\\[ \t]*(?:\r?\n)/y
const FOLDED = /(?:[ \t]|\r?\n)*/y

/** A backslash at the end of a line takes away all white space up to the next character. */
function skipFold(cursor: TomlCursor): boolean {
  if (cursor.take(FOLD) === null) return false
  cursor.take(FOLDED)
  return true
}

function readEscape(cursor: TomlCursor): string {
  const start = cursor.at
  const letter = cursor.text.charAt(start + 1)
  const simple = ESCAPES[letter]
  cursor.at += 2
  if (simple !== undefined) return simple
  if (letter !== 'u' && letter !== 'U') {
    throw new TomlFault(start, `there is no escape \\${letter}; write \\\\ for a backslash, or use single quotes`)
  }
  const digits = cursor.take(HEX[letter])
  const code = digits === null ? Number.NaN : Number.parseInt(digits, 16)
  const isScalar = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  if (!isScalar) throw new TomlFault(start, `\\${letter} names no character`)
  return String.fromCodePoint(code)
}
