/**
 * PostgreSQL stores every text but one with a NUL, and JSON there may not name half of a surrogate pair. Both come in: a
 * JSON escape can say them, and so can a line of a log. They become U+FFFD where they enter a store, so that one strange
 * text cannot make a whole write fail for ever.
 */
export function storable<T>(value: T): T {
  return isStorable(value) ? value : (repaired(value) as T)
}

/** The same calls on texts that can be stored. What is asked for is treated like what was written, and so is found. */
export function onStorable<T extends Readonly<Record<string, (...given: never[]) => unknown>>>(calls: T): T {
  const wrapped = Object.entries<(...given: never[]) => unknown>(calls).map(([name, call]) => [
    name,
    (...given: never[]) => call(...given.map((value) => storable(value))),
  ])
  return Object.fromEntries(wrapped) as T
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value)
  if (Array.isArray(value)) return value.every(isStorable)
  if (!isDocument(value)) return true
  return Object.entries(value).every(([key, inner]) => isStorableText(key) && isStorable(inner))
}

function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return repairedText(value)
  if (Array.isArray(value)) return value.map(repaired)
  if (!isDocument(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [repairedText(key), repaired(inner)]))
}

function repairedText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{FFFD}')
}

/** Bytes and other things of a class are not looked into. */
function isDocument(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
