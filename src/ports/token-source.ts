import type { KnownToken } from '#/core/access/token.ts'

/** Tokens that are configured rather than stored: a file that is read again when it changes. */
export type TokenSource = {
  /** The setting that names it. */
  readonly setting: string
  /** A fault says why nobody is admitted by it. */
  readonly read: () => Promise<{ readonly tokens: readonly KnownToken[] } | { readonly fault: string }>
}
