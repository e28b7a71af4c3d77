import type { Blind } from '#/core/basics/observed.ts'
import { blind } from '#/core/basics/observed.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'
import type { Kind } from './parse-object.ts'
import { parseObject } from './parse-object.ts'
import type { JsonRecord } from './record.ts'
import { asRecord, asText } from './record.ts'

export type Page = {
  readonly kind: 'page'
  readonly items: readonly KubeObject[]
  readonly resourceVersion: string
  /** The token for the next page; null on the last one. */
  readonly next: string | null
}

/** One item that is not what the API promises makes the page blind: the rest would read like the whole. */
export function readPage(value: JsonRecord, trim: Trim, what: string): Page | Blind {
  const kind = kindOfItems(value)
  if (kind === null) return blind('malformed', `${what}: the answer is no list`)
  const metadata = asRecord(value['metadata']) ?? {}
  const resourceVersion = asText(metadata['resourceVersion']) || null
  if (resourceVersion === null) return blind('malformed', `${what}: the list has no version`)
  const next = asText(metadata['continue']) || null
  const left = metadata['remainingItemCount']
  if (next === null && typeof left === 'number' && left > 0) {
    return blind('truncated', `${what}: ${left} more objects are announced and cannot be asked for`)
  }
  const items = readItems(value['items'], kind, trim)
  if (typeof items === 'string') return blind('malformed', `${what}: ${items} has another shape`)
  return { kind: 'page', items, resourceVersion, next }
}

function kindOfItems({ apiVersion, kind }: JsonRecord): Kind | null {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !kind.endsWith('List')) return null
  return { apiVersion, kind: kind.slice(0, -'List'.length) }
}

function readItems(rows: unknown, inherited: Kind, trim: Trim): readonly KubeObject[] | string {
  // Go writes null for an empty list of some kinds.
  if (rows === null) return []
  if (!Array.isArray(rows)) return 'items'
  const items: KubeObject[] = []
  for (const row of rows) {
    const object = parseObject(row, inherited)
    if (typeof object === 'string') return `${object} of an item`
    items.push(trim(object))
  }
  return items
}
