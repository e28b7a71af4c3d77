import { readKey } from './read-key.ts'
import { readScalar } from './read-scalar.ts'
import { readText } from './read-text.ts'
import { DEEPEST, TomlFault } from './toml-cursor.ts'
import type { TomlCursor } from './toml-cursor.ts'
import { newTable, setValue } from './toml-tables.ts'
import type { FindLine } from './toml-tables.ts'
import type { TomlValue } from './toml-value.ts'

/** Any value; `depth` counts the brackets and the parts of keys around it. */
export function readValue(cursor: TomlCursor, findLine: FindLine, depth: number): TomlValue {
  if (depth > DEEPEST) throw cursor.fault(`brackets nest deeper than ${DEEPEST}`)
  const { at, here } = cursor
  switch (here) {
    case '"':
    case "'":
      return { kind: 'text', at, value: readText(cursor) }
    case '[':
      return readList(cursor, findLine, depth)
    case '{':
      return readInline(cursor, findLine, depth)
    default:
      return readScalar(cursor)
  }
}

function readList(cursor: TomlCursor, findLine: FindLine, depth: number): TomlValue {
  const at = cursor.at
  const items: TomlValue[] = []
  cursor.at += 1
  for (;;) {
    cursor.skipBlank()
    if (cursor.here === ']') break
    if (cursor.isAtEnd) throw new TomlFault(at, 'the list has no closing ]')
    items.push(readValue(cursor, findLine, depth + 1))
    cursor.skipBlank()
    if (cursor.here === ',') cursor.at += 1
    else if (cursor.isAtEnd) throw new TomlFault(at, 'the list has no closing ]')
    else if (cursor.here !== ']') throw cursor.fault(`a comma or ] is missing: there is ${cursor.named()}`)
  }
  cursor.at += 1
  return { kind: 'list', at, items, isOfHeaders: false }
}

/** On one line, without a comma at its end. */
function readInline(cursor: TomlCursor, findLine: FindLine, depth: number): TomlValue {
  const table = newTable('inline', cursor.at)
  cursor.at += 1
  cursor.skipSpaces()
  while (cursor.here !== '}') {
    const parts = readKey(cursor)
    expectEquals(cursor)
    setValue(table, parts, readValue(cursor, findLine, depth + parts.length), findLine)
    cursor.skipSpaces()
    if (cursor.here === '}') break
    if (cursor.here !== ',') throw cursor.fault(`a comma or } is missing: there is ${cursor.named()}`)
    cursor.at += 1
    cursor.skipSpaces()
    if (cursor.startsWith('}')) throw cursor.fault('no comma may stand before }')
  }
  cursor.at += 1
  return table
}

export function expectEquals(cursor: TomlCursor): void {
  cursor.skipSpaces()
  if (cursor.here !== '=') throw cursor.fault(`an equals sign is missing: there is ${cursor.named()}`)
  cursor.at += 1
  cursor.skipSpaces()
}
