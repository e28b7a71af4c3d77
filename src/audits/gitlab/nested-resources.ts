import type { TomlEntry, TomlTable, TomlValue } from '#/core/toml/toml-value.ts'
import { joinNames, entryPosition, printKey, listTables } from './config-remark.ts'
import type { ConfigRemark } from './config-remark.ts'
import { findKey } from './key-shape.ts'
import { KUBERNETES_KEYS, RESOURCE_KEYS } from './kubernetes-keys.ts'

export type NestedResources = {
  readonly remarks: readonly ConfigRemark[]
  /** Entries that already have a remark: they are not reported as unknown again. */
  readonly reported: ReadonlySet<TomlEntry>
}

/** Requests and limits in nested tables, where the runner does not read them. */
export function nestedResources(kubernetes: TomlTable): NestedResources {
  const remarks: ConfigRemark[] = []
  const reported = new Set<TomlEntry>()
  const set = new Set([...kubernetes.entries.keys()].map((name) => name.toLowerCase()))
  for (const [name, entry] of kubernetes.entries) {
    const known = findKey(KUBERNETES_KEYS, name)
    const isOther = known !== null && !RESOURCE_KEYS.has(name.toLowerCase())
    const found = isOther ? strays(entry.value, [name], set) : holders(entry, [name])
    if (found.length === 0) continue
    if (!isOther) reported.add(entry)
    for (const one of found) {
      reported.add(one.entry)
      remarks.push(toRemark(one))
    }
  }
  return { remarks, reported }
}

type Nested = {
  readonly entry: TomlEntry
  readonly at: number
  /** From `[runners.kubernetes]` on, with the table that holds them. */
  readonly path: readonly string[]
  readonly keys: readonly { readonly name: string; readonly value: TomlValue }[]
}

const RESOURCE = /^(?:cpu|memory|ephemeral[_-]?storage)$/i
const BOUND = /^(?:limit|request)$/i
const HOLDER = /^(?:\w+_)?(?:resources?|limits?|requests?)$/i

function isResource(name: string, path: readonly string[]): boolean {
  return (
    RESOURCE.test(name) ||
    RESOURCE_KEYS.has(name.toLowerCase()) ||
    (BOUND.test(name) && path.some((part) => RESOURCE.test(part)))
  )
}

/** Tables that hold resource keys; or the outermost table if it holds none but is named after them. */
function holders(entry: TomlEntry, path: readonly string[]): readonly Nested[] {
  const tables = listTables(entry.value)
  const found = tables.flatMap((table): readonly Nested[] => {
    const own = [...table.entries].filter(
      ([name, { value }]) => listTables(value).length === 0 && isResource(name, path),
    )
    const at = entry.value.kind === 'list' ? table.at : entryPosition(entry)
    const keys = own.map(([name, { value }]) => ({ name, value }))
    return [
      ...(keys.length === 0 ? [] : [{ entry, at, path, keys }]),
      ...[...table.entries].flatMap(([name, inner]) => holders(inner, [...path, name])),
    ]
  })
  const isNamed = path.length === 1 && tables.length > 0 && isNamedAfterResources(path[0] ?? '')
  return found.length === 0 && isNamed ? [{ entry, at: entryPosition(entry), path, keys: [] }] : found
}

function isNamedAfterResources(name: string): boolean {
  return HOLDER.test(name) || RESOURCE.test(name)
}

/**
 * A flat key below the header of a sub-table belongs to that sub-table: `cpu_limit` behind `[runners.kubernetes.node_selector]`
 * selects nodes. If the flat key is set too, the nested one may be intended.
 */
function strays(value: TomlValue, path: readonly string[], set: ReadonlySet<string>): readonly Nested[] {
  return listTables(value).flatMap((table) =>
    [...table.entries].flatMap(([name, entry]): readonly Nested[] => {
      if (listTables(entry.value).length > 0) return strays(entry.value, [...path, name], set)
      const isStray = RESOURCE_KEYS.has(name.toLowerCase()) && !set.has(name.toLowerCase())
      return isStray ? [{ entry, at: entry.at, path, keys: [{ name, value: entry.value }] }] : []
    }),
  )
}

function toRemark({ at, path, keys }: Nested): ConfigRemark {
  const table = `[runners.kubernetes.${path.map(printKey).join('.')}]`
  const flat = keys.map(({ name, value }) => ({ name: flatName(name, path), value }))
  const lines = flat.map(({ name, value }) => `${name}${valueText(value)}`)
  return {
    class: 'nested-resource-table',
    at,
    evidence: [
      keys.length === 0
        ? `${table} is a table`
        : `${table} holds ${joinNames(keys.map(({ name }) => printKey(name)))}, which the runner does not read there`,
    ],
    hint:
      keys.length === 0
        ? 'write requests and limits as keys of [runners.kubernetes]: cpu_limit = "1", memory_limit = "2Gi"'
        : `write ${joinNames(lines)} as ${keys.length === 1 ? 'a key' : 'keys'} of [runners.kubernetes], before any header below it`,
    fields: { table: table.slice(1, -1), flatKeys: flat.map(({ name }) => name) },
  }
}

/** `limits` and `cpu` are `cpu_limit`. */
function flatName(name: string, path: readonly string[]): string {
  if (RESOURCE_KEYS.has(name.toLowerCase())) return name.toLowerCase()
  const parts = [...path, name].map((word) => word.toLowerCase())
  const container = parts.find((word) => /^(?:helper|service)/.test(word))?.match(/^(?:helper|service)/)?.[0]
  const resource = parts.find((word) => RESOURCE.test(word))?.replace(/^ephemeral.*$/, 'ephemeral_storage')
  const bound = parts.some((word) => word.includes('request')) ? 'request' : 'limit'
  return `${container === undefined ? '' : `${container}_`}${resource ?? 'cpu'}_${bound}`
}

/** Only quantities are printed: anything else might be a misplaced secret. */
function valueText(value: TomlValue): string {
  const text = value.kind === 'text' || value.kind === 'integer' || value.kind === 'float' ? String(value.value) : ''
  return /^\d[\d.]{0,9}[A-Za-z]{0,2}$/.test(text) ? ` = "${text}"` : ''
}
