import { characters, runEnd, runStart } from '#/core/redaction/shapes/characters.ts'
import { isHarmlessValue } from '#/core/redaction/values/secret-names.ts'
import { isEndOfLine } from '#/core/redaction/shapes/line-ends.ts'
import type { Finder, Span } from './finder.ts'

const LONGEST = 4096
/** What may stand before the at sign. */
const AUTHORITY = characters(String.raw`^\s/"'<>`)
const USER = characters(String.raw`^\s/@:"'<>`)
const TOKEN = characters('A-Za-z0-9_-')
const LONGEST_USER = 256
const SHORTEST_TOKEN = 20
const SHORTEST_CUT_PASSWORD = 6

/** `https://user:password@host`, also with escaped slashes. An authority has no slash, so no place is read for two URLs. */
export const urlCredentials: Finder = {
  literals: ['://', String.raw`:\/\/`],
  find: (text, at) => {
    const start = at + (text.charCodeAt(at + 1) === 0x5c ? 5 : 3)
    const end = runEnd(text, start, AUTHORITY, LONGEST)
    const user = runEnd(text, start, USER, LONGEST_USER)
    const last = start + text.slice(start, end).lastIndexOf('@')
    if (text.charAt(user) === ':') return withPassword(text, { start, user, end, last })
    return last === user ? tokenAlone(text, start, user) : null
  },
}

type Authority = { readonly start: number; readonly user: number; readonly end: number; readonly last: number }

function withPassword(text: string, { start, user, end, last }: Authority): Span | null {
  if (last > user + 1) {
    return isHarmlessValue(text.slice(user + 1, last)) ? null : { from: start, to: last, kind: 'url-credential' }
  }
  // Kubernetes truncates long messages, perhaps inside the password. A port or a digest is not a password.
  const isCut = isEndOfLine(text, end) && end - user - 1 >= SHORTEST_CUT_PASSWORD
  const rest = text.slice(user + 1, user + 8)
  const isOther =
    text.charAt(start) === '[' || text.startsWith('sha256:', start) || /^\d{1,5}(?:[^A-Za-z0-9]|$)/.test(rest)
  return isCut && !isOther ? { from: start, to: end, kind: 'url-credential' } : null
}

/** A token in the place of a user name: no user name is that long and has digits. */
function tokenAlone(text: string, start: number, end: number): Span | null {
  if (end - start < SHORTEST_TOKEN || runEnd(text, start, TOKEN) !== end) return null
  const value = text.slice(start, end)
  return /\d/.test(value) && /[a-z]/i.test(value) ? { from: start, to: end, kind: 'url-credential' } : null
}

const DSN_PASSWORD = characters(String.raw`^\s@"'<>(`)

/** `user:password@tcp(host:3306)/base`, the connection string of Go's MySQL driver. */
export const goDataSources: Finder = {
  literals: ['@tcp(', '@unix('],
  find: (text, at) => {
    const from = runStart(text, at, DSN_PASSWORD, LONGEST_USER)
    const colon = from + text.slice(from, at).indexOf(':')
    return colon >= from && colon < at - 1 ? { from: colon + 1, to: at, kind: 'url-credential' } : null
  },
}
