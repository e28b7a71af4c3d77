/**
 * The value with every part that equals the same part of `like` replaced by that one, so that many objects from one
 * template share memory. The value must be the caller's own, for example just parsed: it is changed in place.
 */
export function shareAlike<T>(value: T, like: unknown): T {
  return share(value, like) as T
}

function share(value: unknown, like: unknown): unknown {
  // Equal strings are two strings in memory until one of them is dropped.
  if (value === like) return like
  if (typeof value !== 'object' || value === null || typeof like !== 'object' || like === null) return value
  if (Array.isArray(value)) return Array.isArray(like) ? shareItems(value, like) : value
  return Array.isArray(like) ? value : shareFields(value as Fields, like as Readonly<Fields>)
}

type Fields = Record<string, unknown>

/** Never equal to a real value. */
const NOTHING = Symbol('nothing')

function shareItems(items: unknown[], like: readonly unknown[]): readonly unknown[] {
  let isSame = items.length === like.length
  for (const [index, item] of items.entries()) {
    const shared = share(item, like[index])
    items[index] = shared
    isSame &&= shared === like[index]
  }
  return isSame ? like : items
}

function shareFields(fields: Fields, like: Readonly<Fields>): Readonly<Fields> {
  const names = Object.keys(fields)
  let isSame = names.length === Object.keys(like).length
  for (const name of names) {
    const other = Object.hasOwn(like, name) ? like[name] : NOTHING
    const shared = share(fields[name], other)
    fields[name] = shared
    isSame &&= shared === other
  }
  return isSame ? like : fields
}
