/** An answer that GitHub may confirm with a 304, which costs nothing of the budget. */
export type Remembered = { readonly etag: string; readonly body: string; readonly link: string | null }

export type EtagStore = {
  readonly get: (key: string) => Remembered | null
  readonly put: (key: string, answer: Remembered) => void
  readonly bytes: () => number
}

/** What was not asked for longest goes first. An answer larger than a quarter of the store is not kept. */
export function createEtagStore(maxBytes: number): EtagStore {
  const answers = new Map<string, Remembered>()
  let bytes = 0
  const drop = (key: string, answer: Remembered): void => {
    answers.delete(key)
    bytes -= countBytes(key, answer)
  }
  return {
    get: (key) => {
      const answer = answers.get(key)
      if (answer === undefined) return null
      answers.delete(key)
      answers.set(key, answer)
      return answer
    },
    put: (key, answer) => {
      const known = answers.get(key)
      if (known !== undefined) drop(key, known)
      const size = countBytes(key, answer)
      if (size > maxBytes / 4) return
      answers.set(key, answer)
      bytes += size
      for (const [oldKey, old] of answers) {
        if (bytes <= maxBytes) break
        drop(oldKey, old)
      }
    },
    bytes: () => bytes,
  }
}

/** JavaScript keeps up to two bytes for each character. */
function countBytes(key: string, { etag, body, link }: Remembered): number {
  return 2 * (key.length + etag.length + body.length + (link?.length ?? 0))
}
