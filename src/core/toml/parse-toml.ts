import { readKey } from './read-key.ts'
import { expectEquals, readValue } from './read-value.ts'
import { TomlCursor, TomlFault } from './toml-cursor.ts'
import { newTable, openItem, openTable, setValue } from './toml-tables.ts'
import type { OpenTable, TomlPlace, TomlTable } from './toml-value.ts'

/** More is not a configuration. */
export const LARGEST_TOML = 1_048_576

export type TomlReading =
  | { readonly kind: 'read'; readonly root: TomlTable; readonly findPlace: (at: number) => TomlPlace }
  | ({ readonly kind: 'refused'; readonly message: string } & TomlPlace)

/** TOML 1.0, up to the first mistake: what stands behind one is a guess. The time grows with the text, and never faster. */
export function parseToml(text: string): TomlReading {
  if (text.length > LARGEST_TOML) {
    return { kind: 'refused', line: 1, column: 1, message: `the file is larger than ${LARGEST_TOML} characters` }
  }
  const findPlace = placesIn(text)
  try {
    return { kind: 'read', root: readDocument(text, (at) => findPlace(at).line), findPlace }
  } catch (error) {
    if (!(error instanceof TomlFault)) throw error
    return { kind: 'refused', ...findPlace(error.at), message: error.message }
  }
}

function readDocument(text: string, findLine: (at: number) => number): TomlTable {
  const cursor = new TomlCursor(text)
  const root = newTable('header', 0)
  let table: OpenTable = root
  for (;;) {
    cursor.skipBlank()
    if (cursor.isAtEnd) return root
    if (cursor.here === '[') table = readHeader(cursor, root, findLine)
    else {
      const parts = readKey(cursor)
      expectEquals(cursor)
      setValue(table, parts, readValue(cursor, findLine, parts.length), findLine)
      cursor.endLine('the value')
    }
  }
}

function readHeader(cursor: TomlCursor, root: OpenTable, findLine: (at: number) => number): OpenTable {
  const bracket = cursor.at
  const isItem = cursor.startsWith('[[')
  const close = isItem ? ']]' : ']'
  cursor.at += close.length
  cursor.skipSpaces()
  const parts = readKey(cursor)
  if (!cursor.startsWith(close)) throw cursor.fault(`${close} is missing: there is ${cursor.named()}`)
  cursor.at += close.length
  const table = isItem ? openItem(root, parts, bracket, findLine) : openTable(root, parts, bracket, findLine)
  cursor.endLine('the header')
  return table
}

function placesIn(text: string): (at: number) => TomlPlace {
  const starts = [text.startsWith('\uFEFF') ? 1 : 0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (at) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: Math.max(0, at - (starts[low] ?? 0)) + 1 }
  }
}
