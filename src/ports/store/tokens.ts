import type { KnownToken } from '#/core/access/token.ts'

/** Tokens of the API. Only their digests are stored. */
export type Tokens = {
  /**
   * `taken` where a token of this name is valid. Takes the name from one that expired, and forgets tokens that ended
   * before `forgetBefore`.
   */
  readonly add: (token: NewToken, forgetBefore: number) => Promise<'added' | 'taken'>
  /** Also those that ended, so that their holders learn why they are refused. By name, then by creation. */
  readonly list: () => Promise<readonly StoredToken[]>
  /** The one that is not yet revoked. */
  readonly revoke: (name: string, at: number) => Promise<'revoked' | 'unknown'>
  /** An earlier time than the stored one changes nothing. */
  readonly use: (digest: string, at: number) => Promise<void>
}

export type NewToken = Omit<KnownToken, 'revokedAt'> & {
  readonly createdAt: number
  /** The actor who created it. */
  readonly createdBy: string
}

export type StoredToken = NewToken & KnownToken & { readonly lastUsedAt: number | null }
