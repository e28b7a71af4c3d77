import { parseToml } from '#/core/toml/parse-toml.ts'
import type { TomlTable } from '#/core/toml/toml-value.ts'
import { findEntry, listTables } from './config-remark.ts'

/** One `[[runners]]` of a config.toml, as far as GitLab's list can be compared with it. */
export type ConfiguredRunner = {
  readonly name: string | null
  readonly id: number | null
  readonly line: number
  readonly column: number
}

/** Null if the file cannot be parsed. */
export function configuredRunners(text: string): readonly ConfiguredRunner[] | null {
  const reading = parseToml(text)
  if (reading.kind === 'refused') return null
  const entry = findEntry(reading.root, 'runners')
  return (entry === null ? [] : listTables(entry.value)).map((table) => {
    const { line, column } = reading.findPlace(table.at)
    return { name: readText(table, 'name'), id: readNumber(table, 'id'), line, column }
  })
}

function readText(table: TomlTable, key: string): string | null {
  const value = findEntry(table, key)?.value
  return value?.kind === 'text' && value.value !== '' ? value.value : null
}

function readNumber(table: TomlTable, key: string): number | null {
  const value = findEntry(table, key)?.value
  return value?.kind === 'integer' && value.value > 0n ? Number(value.value) : null
}
