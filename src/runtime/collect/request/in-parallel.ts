/** Does the work for all items, so many at a time, and gives each result as soon as it is there. */
export async function* inParallel<T, R>(
  items: Iterable<T>,
  most: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const left = items[Symbol.iterator]()
  const underWay = new Map<number, Promise<readonly [number, R]>>()
  let started = 0
  const start = (): void => {
    while (underWay.size < most) {
      const next = left.next()
      if (next.done === true) return
      const key = started
      started += 1
      underWay.set(
        key,
        work(next.value).then((result) => [key, result] as const),
      )
    }
  }
  for (start(); underWay.size > 0; start()) {
    const [key, result] = await Promise.race(underWay.values())
    underWay.delete(key)
    yield result
  }
}
