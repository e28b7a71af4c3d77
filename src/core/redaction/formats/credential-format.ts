import type { RedactionKind } from '#/core/redaction/shapes/redaction-kinds.ts'

/** One published form of credential: a row of the table. */
export type CredentialFormat = {
  /** The issuer and what it issues, as docs/redaction.md lists it. */
  readonly name: string
  /** In the notation of `shape.ts`. */
  readonly shapes: readonly string[]
  /** Where the form is published. */
  readonly source: string
  /** `credential` unless it has a kind of its own. */
  readonly kind?: RedactionKind
  /** A literal that also occurs inside ordinary words: no letter, digit or hyphen may touch the match. */
  readonly isWord?: true
  /** The literal is a host that stays readable. */
  readonly keepsLiteral?: true
}
