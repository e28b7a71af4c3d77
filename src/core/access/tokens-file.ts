import { ROLES } from './role.ts'
import type { Role } from './role.ts'
import { isTokenName, TOKEN_NAME_FORM } from './token.ts'
import type { KnownToken } from './token.ts'

const MOST_TOKENS = 500
const DIGEST = /^[0-9a-f]{64}$/
const NEVER = 'never'

export type TokenLine = Omit<KnownToken, 'revokedAt'>

/** `NAME ROLE SHA256 EXPIRES`, one token per line; `#` begins a comment. One wrong line makes the whole file unusable. */
export function parseTokensFile(text: string): { readonly tokens: readonly TokenLine[] } | { readonly fault: string } {
  const tokens: TokenLine[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.replace(/#.*$/, '').trim()
    if (content === '') continue
    const read = parseLine(content)
    if (typeof read === 'string') return { fault: `line ${index + 1}: ${read}` }
    if (tokens.some(({ name }) => name === read.name))
      return { fault: `line ${index + 1}: the name ${read.name} is used twice` }
    tokens.push(read)
  }
  return tokens.length > MOST_TOKENS ? { fault: `it has more than ${MOST_TOKENS} tokens` } : { tokens }
}

/** Reads back with `parseTokensFile`. */
export function printTokenLine({ name, role, digest, expiresAt }: TokenLine): string {
  return `${name} ${role} ${digest} ${expiresAt === null ? NEVER : new Date(expiresAt).toISOString()}`
}

function parseLine(line: string): TokenLine | string {
  const [name = '', role = '', digest = '', expires = '', ...rest] = line.split(/\s+/)
  if (expires === '' || rest.length > 0) return 'a line is NAME ROLE SHA256 EXPIRES'
  if (!isTokenName(name)) return `a name has ${TOKEN_NAME_FORM}`
  if (!isRole(role)) return `the role of ${name} must be ${ROLES.join(' or ')}`
  // The text may be the token itself by mistake, so it is not repeated.
  if (!DIGEST.test(digest)) return `the third word for ${name} must be the SHA-256 of the token: 64 hex digits`
  const expiresAt = expires === NEVER ? null : Date.parse(expires)
  if (Number.isNaN(expiresAt)) return `the expiry of ${name} must be a time such as 2027-01-31T00:00:00Z, or ${NEVER}`
  return { name, role, digest, expiresAt }
}

function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}
