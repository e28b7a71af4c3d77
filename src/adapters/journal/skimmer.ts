import type { JournalLine } from '#/ports/journal.ts'

/** What a line shows before it is parsed. */
export type SkimmedLine = {
  readonly at: number
  readonly resolutionMs: number
  readonly bootId: string | null
  readonly bytes: Uint8Array
  /** Where the message stands in the bytes; -1 where the line has none. */
  readonly messageStart: number
  readonly messageEnd: number
  /** Where the next line begins. */
  readonly next: number
}

/**
 * Reads lines by their bytes, where they stand: what is needed to pass over a line costs next to nothing, and a line is
 * built only if somebody wants it. It agrees with the format's parser.
 */
export type LineSkimmer = {
  /** Null for a line that only the parser can read. The line ends in `bytes`. */
  readonly skim: (bytes: Uint8Array, start: number) => SkimmedLine | null
  /** The line that was skimmed last. */
  readonly build: () => JournalLine
}
