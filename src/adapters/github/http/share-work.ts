/** Whoever asks for the same thing while it is under way gets the same answer. */
export function shareWork<K, T>(work: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const underWay = new Map<K, Promise<T>>()
  return (key) => {
    const started = underWay.get(key) ?? work(key).finally(() => underWay.delete(key))
    underWay.set(key, started)
    return started
  }
}
