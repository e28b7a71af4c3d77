import { didYouMean } from '#/core/basics/did-you-mean.ts'

/** Looking for what was meant costs time, and a file may be full of strangers: only the first ones get a suggestion. */
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
