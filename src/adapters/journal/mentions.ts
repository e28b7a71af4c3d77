import { literalAutomaton } from '#/core/basics/literal-automaton.ts'
import { ESCAPES } from './find-json-fields.ts'
import type { JournalFormat } from './journal-format.ts'

/** Which messages are wanted, by what they mention. */
export type Mentions = {
  /** A message that was withheld may mention anything, so it is wanted. */
  readonly areIn: (message: string | null) => boolean
  /** The same for the bytes of a message, without making it. Null if the bytes do not show it. */
  readonly areInBytes: (bytes: Uint8Array, start: number, end: number) => boolean | null
}

/** Capitals of ASCII count as small letters. In JSON the bytes of a message are escaped. */
export function createMentions(literals: readonly string[] | undefined, format: JournalFormat): Mentions {
  if (literals === undefined || literals.includes('')) return { areIn: () => true, areInBytes: () => true }
  const encoder = new TextEncoder()
  const automaton = literalAutomaton(literals)
  // Bytes that are no text are read as U+FFFD, which a search of the bytes does not find.
  const isSearchable = literals.every((literal) => literal.isWellFormed() && !literal.includes('\uFFFD'))
  return {
    areIn: (message) => {
      if (message === null) return true
      const bytes = encoder.encode(message)
      return automaton.firstEnd(bytes, 0, bytes.length) >= 0
    },
    areInBytes: (bytes, start, end) => {
      if (!isSearchable) return null
      return format === 'json'
        ? automaton.occursEscaped(bytes, start, end, ESCAPES)
        : automaton.firstEnd(bytes, start, end) >= 0
    },
  }
}
