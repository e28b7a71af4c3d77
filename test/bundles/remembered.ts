/** Every file is read once, however often it is asked for. */
export function remembered<A extends readonly unknown[], R>(
  read: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  const known = new Map<string, Promise<R>>()
  return (...args) => {
    const key = JSON.stringify(args)
    const answer = known.get(key) ?? read(...args)
    known.set(key, answer)
    return answer
  }
}
