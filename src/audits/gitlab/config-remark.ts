import type { KnownKeys } from './key-shape.ts'
import type { TomlEntry, TomlTable, TomlValue } from '#/core/toml/toml-value.ts'

export const CONFIG_CLASSES = [
  'nested-resource-table',
  'pod-spec-containers',
  'pod-spec-flag-missing',
  'kubernetes-table-array',
  'unknown-key',
  'syntax',
] as const
export type ConfigClass = (typeof CONFIG_CLASSES)[number]

/** What is wrong in a config.toml, before its place is counted in lines. */
export type ConfigRemark = PlainRemark | UnknownKey

type PlainRemark = {
  readonly class: Exclude<ConfigClass, 'unknown-key'>
  /** Offset in the text. */
  readonly at: number
  readonly evidence: readonly string[]
  readonly hint: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The intended key is searched only for findings that are printed: the search is slow, and a file can have many unknown keys. */
export type UnknownKey = {
  readonly class: 'unknown-key'
  readonly at: number
  readonly name: string
  readonly path: readonly string[]
  readonly isTable: boolean
  /** The keys that are allowed there. */
  readonly keys: KnownKeys
}

/** The position of a table's header, or of any other entry's key. */
export function entryPosition({ at, value }: TomlEntry): number {
  const hasHeader =
    (value.kind === 'table' && (value.origin === 'header' || value.origin === 'implied')) ||
    (value.kind === 'list' && value.isOfHeaders)
  return hasHeader ? value.at : at
}

/** The table itself, or the tables of a list. */
export function listTables(value: TomlValue): readonly TomlTable[] {
  if (value.kind === 'table') return [value]
  return value.kind === 'list' ? value.items.filter((item) => item.kind === 'table') : []
}

/** Like the runner's decoder: case matters only if two keys differ in nothing else. */
export function findEntry({ entries }: TomlTable, name: string): TomlEntry | null {
  const exact = entries.get(name)
  if (exact !== undefined) return exact
  for (const [key, entry] of entries) if (key.toLowerCase() === name) return entry
  return null
}

export function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** Quotes a key that is not a bare TOML key. */
export function printKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
}
