import { keyName } from './read-key.ts'
import type { KeyPart } from './read-key.ts'
import { TomlFault } from './toml-cursor.ts'
import type { OpenList, OpenTable, TomlTableOrigin, TomlValue } from './toml-value.ts'

type Parts = readonly [KeyPart, ...KeyPart[]]
type Standing = TomlValue | OpenTable | OpenList

/** For a message: where a thing was said before. */
export type FindLine = (at: number) => number

export function newTable(origin: TomlTableOrigin, at: number): OpenTable {
  return { kind: 'table', at, origin, entries: new Map() }
}

/** The table of `[a.b.c]`, in which the lines below the header go. */
export function openTable(root: OpenTable, parts: Parts, bracket: number, findLine: FindLine): OpenTable {
  const { parent, last } = walkHeader(root, parts, bracket)
  const standing = parent.entries.get(last.name)
  if (standing === undefined) {
    const table = newTable('header', bracket)
    parent.entries.set(last.name, { at: last.at, value: table })
    return table
  }
  const { value } = standing
  if (isOpenTable(value) && value.origin === 'implied') {
    value.origin = 'header'
    value.at = bracket
    return value
  }
  throw twice(parts, last.at, findLine(standing.at))
}

/** A further table of `[[a.b.c]]`. */
export function openItem(root: OpenTable, parts: Parts, bracket: number, findLine: FindLine): OpenTable {
  const { parent, last } = walkHeader(root, parts, bracket)
  const item = newTable('header', bracket)
  const standing = parent.entries.get(last.name)
  if (standing === undefined) {
    const list: OpenList = { kind: 'list', at: bracket, items: [item], isOfHeaders: true }
    parent.entries.set(last.name, { at: last.at, value: list })
    return item
  }
  if (!isOpenList(standing.value)) {
    throw new TomlFault(
      last.at,
      `${keyName(parts)} is a list of tables here, and it was something else in line ${findLine(standing.at)}`,
    )
  }
  standing.value.items.push(item)
  return item
}

function walkHeader(
  root: OpenTable,
  parts: Parts,
  bracket: number,
): { readonly parent: OpenTable; readonly last: KeyPart } {
  let parent = root
  for (const [index, part] of parts.slice(0, -1).entries()) {
    const standing = parent.entries.get(part.name)
    if (standing === undefined) {
      const table = newTable('implied', bracket)
      parent.entries.set(part.name, { at: part.at, value: table })
      parent = table
      continue
    }
    const next = isOpenList(standing.value) ? standing.value.items.at(-1) : standing.value
    if (next === undefined || !isOpenTable(next) || next.origin === 'inline') {
      throw new TomlFault(part.at, `${keyName(parts.slice(0, index + 1))} is a value: nothing can be put into it`)
    }
    parent = next
  }
  return { parent, last: parts.at(-1) ?? parts[0] }
}

/** `a.b.c = value` under the present header, or in braces. */
export function setValue(table: OpenTable, parts: Parts, value: TomlValue, findLine: FindLine): void {
  let parent = table
  for (const [index, part] of parts.slice(0, -1).entries()) {
    const standing = parent.entries.get(part.name)
    if (standing === undefined) {
      const inner = newTable('dotted', part.at)
      parent.entries.set(part.name, { at: part.at, value: inner })
      parent = inner
      continue
    }
    // Only what dots made may grow by dots: a table with a header of its own is closed to them.
    if (!isOpenTable(standing.value) || standing.value.origin !== 'dotted') {
      throw twice(parts.slice(0, index + 1), part.at, findLine(standing.at))
    }
    parent = standing.value
  }
  const last = parts.at(-1) ?? parts[0]
  const standing = parent.entries.get(last.name)
  if (standing !== undefined) throw twice(parts, last.at, findLine(standing.at))
  parent.entries.set(last.name, { at: last.at, value })
}

function twice(parts: readonly KeyPart[], at: number, line: number): TomlFault {
  return new TomlFault(at, `${keyName(parts)} is there already, in line ${line}`)
}

function isOpenTable(value: Standing): value is OpenTable {
  return value.kind === 'table'
}

function isOpenList(value: Standing): value is OpenList {
  return value.kind === 'list' && value.isOfHeaders
}
