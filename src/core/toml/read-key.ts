import { DEEPEST, TomlFault } from './toml-cursor.ts'
import type { TomlCursor } from './toml-cursor.ts'
import { readLine } from './read-text.ts'

export type KeyPart = { readonly name: string; readonly at: number }

const BARE = /[\w-]+/y

/** One key, or several with dots between them. */
export function readKey(cursor: TomlCursor): readonly [KeyPart, ...KeyPart[]] {
  const parts: [KeyPart, ...KeyPart[]] = [readPart(cursor)]
  for (;;) {
    cursor.skipSpaces()
    if (cursor.here !== '.') return parts
    cursor.at += 1
    cursor.skipSpaces()
    parts.push(readPart(cursor))
    if (parts.length > DEEPEST) throw new TomlFault(parts[0].at, `the key has more than ${DEEPEST} parts`)
  }
}

function readPart(cursor: TomlCursor): KeyPart {
  const { at, here } = cursor
  if (here === '"' || here === "'") {
    if (cursor.startsWith(here.repeat(3))) throw cursor.fault('a key is written on one line')
    return { name: readLine(cursor, here), at }
  }
  const name = cursor.take(BARE)
  if (name === null) throw cursor.fault(`a key is missing: there is ${cursor.named()}`)
  return { name, at }
}

/** `runners.kubernetes`, for a message. */
export function keyName(parts: readonly KeyPart[]): string {
  return parts.map(({ name }) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))).join('.')
}
