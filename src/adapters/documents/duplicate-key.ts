import { type Document, isScalar, visit } from 'yaml'

/** The first duplicate key of a map. The parser's own check compares every key with every other: minutes for many keys. */
export function duplicateKey(document: Document.Parsed): string | null {
  let found: string | null = null
  visit(document, {
    Map: (_key, { items }) => {
      found = firstTwice(items.flatMap(({ key }) => (isScalar(key) ? [key.value] : [])))
      return found === null ? undefined : visit.BREAK
    },
  })
  return found
}

function firstTwice(keys: readonly unknown[]): string | null {
  const before = new Set<unknown>()
  for (const key of keys) {
    if (before.has(key)) return String(key)
    before.add(key)
  }
  return null
}
