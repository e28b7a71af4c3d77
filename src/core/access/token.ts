import type { Role } from './role.ts'

/** A token that the server knows by its digest only. Times are milliseconds since 1970. */
export type KnownToken = {
  readonly name: string
  readonly role: Role
  /** SHA-256 in hex. A token has too much entropy to be guessed from it, so a slow hash would add nothing. */
  readonly digest: string
  /** Null: never. */
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

export type TokenState = 'valid' | 'expired' | 'revoked'

export function tokenState(
  { expiresAt, revokedAt }: Pick<KnownToken, 'expiresAt' | 'revokedAt'>,
  now: number,
): TokenState {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'valid'
}

export const TOKEN_NAME_FORM = '1 to 63 letters, digits, dots, dashes or underscores, beginning with a letter or digit'

export function isTokenName(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,62}$/i.test(text)
}
