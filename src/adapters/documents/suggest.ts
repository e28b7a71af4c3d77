import { didYouMean } from '#/core/basics/did-you-mean.ts'

/** Suggestions are slow, and a file can have many unknown names: only the first ones get one. */
const MOST_WORDS = 100
const MOST_KNOWN = 1_000

export type Suggest = (word: string, known: readonly string[]) => readonly string[]

/** One for each file. */
export function suggestions(): Suggest {
  let words = 0
  return (word, known) => {
    words += 1
    return words > MOST_WORDS || known.length > MOST_KNOWN ? [] : didYouMean(word, known)
  }
}
