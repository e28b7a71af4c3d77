import type { TomlEntry, TomlTable, TomlValue } from '#/core/toml/toml-value.ts'
import { entryPosition, printKey, listTables } from './config-remark.ts'
import type { ConfigRemark } from './config-remark.ts'
import { findKey } from './key-shape.ts'
import type { Held, KeyShape, KnownKeys } from './key-shape.ts'

/** Unknown keys, and values for which the runner rejects the whole file. */
export function walkKeys(
  table: TomlTable,
  keys: KnownKeys,
  path: readonly string[],
  reported: ReadonlySet<TomlEntry>,
): readonly ConfigRemark[] {
  return [...table.entries].flatMap(([name, entry]): readonly ConfigRemark[] => {
    if (reported.has(entry)) return []
    const known = findKey(keys, name)
    if (known === null) {
      const isTable = listTables(entry.value).length > 0
      return [{ class: 'unknown-key', at: entryPosition(entry), name, path, isTable, keys }]
    }
    return checkValue(entry, known.shape, [...path, known.name], reported)
  })
}

function checkValue(
  entry: TomlEntry,
  shape: KeyShape,
  path: readonly string[],
  reported: ReadonlySet<TomlEntry>,
): readonly ConfigRemark[] {
  const { value } = entry
  switch (shape.kind) {
    case 'value':
      return holds(value, shape.holds) ? [] : [wrongValue(entry, path, article(shape.holds))]
    case 'map': {
      if (value.kind !== 'table') return [wrongValue(entry, path, `a table: [${path.join('.')}]`)]
      return [...value.entries].flatMap(([name, inner]) =>
        reported.has(inner) || holds(inner.value, shape.holds)
          ? []
          : [wrongValue(inner, [...path, printKey(name)], article(shape.holds))],
      )
    }
    case 'table':
    case 'tables':
      return checkTables(entry, shape, path, reported)
  }
}

function checkTables(
  entry: TomlEntry,
  shape: Extract<KeyShape, { kind: 'table' | 'tables' }>,
  path: readonly string[],
  reported: ReadonlySet<TomlEntry>,
): readonly ConfigRemark[] {
  const tables = listTables(entry.value)
  const inner = tables.flatMap((table) => walkKeys(table, shape.keys, path, reported))
  const isReported = tables.some(({ entries }) => [...entries.values()].some((one) => reported.has(one)))
  if (fits(entry.value, shape.kind) || (shape.kind === 'tables' && isReported)) return inner
  const header = shape.kind === 'table' ? `[${path.join('.')}]` : `[[${path.join('.')}]]`
  // A list of kubernetes tables has its own class.
  if (shape.kind === 'table' && path.join('.') === 'runners.kubernetes' && tables.length > 0) {
    return [tableArray(entry, tables.length), ...inner]
  }
  const what = shape.kind === 'table' ? `a table: ${header}` : `a list of tables: ${header}`
  return [wrongValue(entry, path, what), ...inner]
}

function fits(value: TomlValue, kind: 'table' | 'tables'): boolean {
  if (kind === 'table') return value.kind === 'table'
  return value.kind === 'list' && value.items.every((item) => item.kind === 'table')
}

function tableArray(entry: TomlEntry, count: number): ConfigRemark {
  return {
    class: 'kubernetes-table-array',
    at: entryPosition(entry),
    evidence: [
      `runners.kubernetes is a list of ${count === 1 ? 'one table' : `${count} tables`}; a runner has one table of that name`,
    ],
    hint:
      count === 1
        ? 'write [runners.kubernetes] with single brackets'
        : 'write one [runners.kubernetes] with single brackets, and a [[runners]] for each other one',
    fields: { key: 'runners.kubernetes', tables: count },
  }
}

function wrongValue(entry: TomlEntry, path: readonly string[], wanted: string): ConfigRemark {
  const key = path.join('.')
  return {
    class: 'syntax',
    at: entryPosition(entry),
    evidence: [`${key} is ${kindName(entry.value)}; it must be ${wanted}`],
    hint: `make ${key} ${wanted}: otherwise GitLab Runner rejects the whole file`,
    fields: { key },
  }
}

function holds(value: TomlValue, held: Held): boolean {
  switch (held) {
    case 'any':
      return true
    case 'text':
      return value.kind === 'text'
    case 'flag':
      return value.kind === 'flag'
    case 'whole number':
      return value.kind === 'integer'
    case 'number':
      return value.kind === 'integer' || value.kind === 'float'
    case 'texts':
      return value.kind === 'list' && value.items.every((item) => item.kind === 'text')
  }
}

const ARTICLES: Readonly<Record<Held, string>> = {
  any: 'something else',
  text: 'a string in quotes',
  flag: 'true or false, without quotes',
  'whole number': 'a whole number without quotes',
  number: 'a number without quotes',
  texts: 'a list of strings: ["…"]',
}

function article(held: Held): string {
  return ARTICLES[held]
}

const KIND_NAMES: Readonly<Record<TomlValue['kind'], string>> = {
  text: 'a string',
  integer: 'a number',
  float: 'a decimal number',
  flag: 'true or false',
  time: 'a date or time',
  list: 'a list',
  table: 'a table',
}

function kindName(value: TomlValue): string {
  return KIND_NAMES[value.kind]
}
