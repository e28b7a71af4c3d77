import type { Fields } from '#/core/basics/fields.ts'
import { toFields, textAt } from '#/core/basics/fields.ts'

export type Change = {
  readonly version: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly resource: string
  readonly object: Fields
}

export type Place = { readonly namespace: string | null; readonly name: string }

/** The objects of an API server with the versions that it counts, and what changed of late. */
export type ObjectStore = {
  readonly put: (resource: string, object: Fields) => Fields
  readonly remove: (resource: string, place: Place) => void
  readonly get: (resource: string, place: Place) => Fields | null
  /** A null namespace is all of them. */
  readonly list: (resource: string, namespace: string | null) => readonly Fields[]
  readonly version: () => number
  /** What came after the version; null where that is forgotten. */
  readonly since: (version: number) => readonly Change[] | null
  readonly onChange: (listener: (change: Change) => void) => () => void
}

const FIRST_VERSION = 1000
const MOST_CHANGES = 10_000

export function createObjectStore(mostChanges: number = MOST_CHANGES): ObjectStore {
  const objects = new Map<string, Map<string, Fields>>()
  const listeners = new Set<(change: Change) => void>()
  let changes: Change[] = []
  let version = FIRST_VERSION
  let forgotten = FIRST_VERSION
  const of = (resource: string): Map<string, Fields> => {
    const own = objects.get(resource) ?? new Map<string, Fields>()
    objects.set(resource, own)
    return own
  }
  const publish = (type: Change['type'], resource: string, object: Fields): Fields => {
    version += 1
    const published = { ...object, metadata: { ...toFields(object['metadata']), resourceVersion: String(version) } }
    const change = { version, type, resource, object: published }
    changes.push(change)
    if (changes.length > mostChanges) {
      changes = changes.slice(-Math.ceil(mostChanges / 2))
      forgotten = (changes[0]?.version ?? version) - 1
    }
    for (const listener of listeners) listener(change)
    return published
  }
  return {
    put: (resource, object) => {
      const own = of(resource)
      const key = objectKey({
        namespace: textAt(object, 'metadata', 'namespace'),
        name: textAt(object, 'metadata', 'name') ?? '',
      })
      const published = publish(own.has(key) ? 'MODIFIED' : 'ADDED', resource, object)
      own.set(key, published)
      return published
    },
    remove: (resource, place) => {
      const object = of(resource).get(objectKey(place))
      if (object === undefined) return
      of(resource).delete(objectKey(place))
      publish('DELETED', resource, object)
    },
    get: (resource, place) => of(resource).get(objectKey(place)) ?? null,
    list: (resource, namespace) => {
      const own = [...of(resource).entries()].toSorted(([a], [b]) => (a < b ? -1 : 1))
      return own.flatMap(([, object]) => (isIn(object, namespace) ? [object] : []))
    },
    version: () => version,
    since: (from) => (from < forgotten ? null : changes.filter((change) => change.version > from)),
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export function isIn(object: Fields, namespace: string | null): boolean {
  return namespace === null || textAt(object, 'metadata', 'namespace') === namespace
}

function objectKey({ namespace, name }: Place): string {
  return `${namespace ?? ''}/${name}`
}
