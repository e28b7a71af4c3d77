import type { RedactionKind } from '#/core/redaction/shapes/redaction-kinds.ts'

/** A part of a text that must not be shown. */
export type Span = { readonly from: number; readonly to: number; readonly kind: RedactionKind }

/** What one search remembers, so that it reads no part of a text twice for the same question. */
export type Search = {
  readonly id: number
  /** Where the last word ends that was read as a name. */
  nameEnd: number
  /** Where the last span ends that was found. */
  hiddenTo: number
  /** How many values were judged and left, of those that reach to `doubtedTo`. */
  doubts: number
  doubtedTo: number
}

/**
 * Looks at one place of a text: `at` is the position of one of its literals. It never looks beyond the line. Its cost is
 * bounded, or paid for by the characters of the span that it returns, or remembered.
 */
export type Finder = {
  /** ASCII, found in any case. */
  readonly literals: readonly string[]
  readonly find: (text: string, at: number, search: Search) => Span | null
}
