import { didYouMean } from '#/core/basics/did-you-mean.ts'

/** Suggestions are slow, and a file can have many unknown names: only the first ones get one. */
const MOST_SUGGESTIONS = 100
const MOST_KNOWN = 1_000

export type Suggest = (name: string, known: readonly string[]) => readonly string[]

/** One for each file. */
export function suggestions(): Suggest {
  let count = 0
  return (name, known) => {
    count += 1
    return count > MOST_SUGGESTIONS || known.length > MOST_KNOWN ? [] : didYouMean(name, known)
  }
}
