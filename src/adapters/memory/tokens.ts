import { tokenState } from '#/core/access/token.ts'
import type { Tokens } from '#/ports/store/tokens.ts'
import { byText } from './tables.ts'
import type { Tables } from './tables.ts'

export function memoryTokens({ tokens }: Tables): Tokens {
  const standing = (name: string) => [...tokens.values()].find((one) => one.name === name && one.revokedAt === null)
  return {
    add: async (token, forgetBefore) => {
      for (const { digest, revokedAt, expiresAt } of tokens.values()) {
        if (Math.min(revokedAt ?? Infinity, expiresAt ?? Infinity) < forgetBefore) tokens.delete(digest)
      }
      const known = standing(token.name)
      if (known !== undefined && tokenState(known, token.createdAt) === 'expired') {
        tokens.set(known.digest, { ...known, revokedAt: token.createdAt })
      } else if (known !== undefined) return 'taken'
      if (tokens.has(token.digest)) return 'taken'
      tokens.set(token.digest, { ...token, lastUsedAt: null, revokedAt: null })
      return 'added'
    },
    list: async () =>
      [...tokens.values()].sort(
        (a, b) => byText(a.name, b.name) || a.createdAt - b.createdAt || byText(a.digest, b.digest),
      ),
    revoke: async (name, at) => {
      const known = standing(name)
      if (known === undefined) return 'unknown'
      tokens.set(known.digest, { ...known, revokedAt: at })
      return 'revoked'
    },
    use: async (digest, at) => {
      const known = tokens.get(digest)
      if (known === undefined || (known.lastUsedAt ?? -Infinity) >= at) return
      tokens.set(digest, { ...known, lastUsedAt: at })
    },
  }
}
