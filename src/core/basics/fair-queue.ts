/** Work that waits, by key. Keys are served in turn, so a key with much work does not delay the others. */
export type FairQueue<T> = {
  readonly push: (key: string, item: T) => void
  /** The next item of a key that may be served; null where there is none. */
  readonly take: (mayServe: (key: string) => boolean) => Waiting<T> | null
  /** False where it no longer waits. */
  readonly remove: (key: string, item: T) => boolean
  readonly size: () => number
  /** Everything that waits, in the order in which it would be served. */
  readonly drain: () => readonly Waiting<T>[]
}

export type Waiting<T> = { readonly key: string; readonly item: T }

export function createFairQueue<T>(): FairQueue<T> {
  /** In the order of service: the key that was served last is the last. */
  const waiting = new Map<string, T[]>()
  let size = 0
  const take: FairQueue<T>['take'] = (mayServe) => {
    for (const [key, items] of waiting) {
      if (!mayServe(key)) continue
      const [item] = items.splice(0, 1)
      waiting.delete(key)
      if (items.length > 0) waiting.set(key, items)
      if (item === undefined) continue
      size -= 1
      return { key, item }
    }
    return null
  }
  return {
    push: (key, item) => {
      const items = waiting.get(key)
      if (items === undefined) waiting.set(key, [item])
      else items.push(item)
      size += 1
    },
    take,
    remove: (key, item) => {
      const items = waiting.get(key) ?? []
      const index = items.indexOf(item)
      if (index < 0) return false
      items.splice(index, 1)
      if (items.length === 0) waiting.delete(key)
      size -= 1
      return true
    },
    size: () => size,
    drain: () => {
      const all: Waiting<T>[] = []
      for (let next = take(() => true); next !== null; next = take(() => true)) all.push(next)
      return all
    },
  }
}
