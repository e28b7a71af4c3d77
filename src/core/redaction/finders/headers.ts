import { characters, runEnd, runStart } from '#/core/redaction/shapes/characters.ts'
import { isHarmlessValue } from '#/core/redaction/values/secret-names.ts'
import type { Finder, Span } from './finder.ts'

/** Sticky, and every repetition is bounded. */
const AUTHORIZATION =
  /authorization\\{0,8}["']?\s?[:=]\s?\[?\\{0,8}["']?(?:(?:bearer|basic|token|remoteauth|negotiate|apikey|splunk|ssws|bot|digest|genielkey)\s{1,8})?/iy
const HEADER_VALUE = characters('^\\s"\'`\\\\,\\]}')

export const authorizationHeaders: Finder = {
  literals: ['authorization'],
  find: (text, at) => {
    AUTHORIZATION.lastIndex = at
    if (!AUTHORIZATION.test(text)) return null
    const from = AUTHORIZATION.lastIndex
    const to = runEnd(text, from, HEADER_VALUE)
    return to - from < 8 || isHarmlessValue(text.slice(from, to)) ? null : { from, to, kind: 'authorization' }
  },
}

const SCHEME = /(?:bearer|basic|splunk|ssws|apikey)\s{1,8}/iy
const OPAQUE = characters('A-Za-z0-9._~+/=-')
const SHORTEST_OPAQUE = 16

/** Without the header's name. Prose has "bearer authentication"; a credential of this length has a digit. */
export const schemes: Finder = {
  literals: ['bearer ', 'basic ', 'splunk ', 'ssws ', 'apikey '],
  find: (text, at) => {
    SCHEME.lastIndex = at
    if (!SCHEME.test(text)) return null
    const from = SCHEME.lastIndex
    const to = runEnd(text, from, OPAQUE)
    const isOpaque = to - from >= SHORTEST_OPAQUE && /\d/.test(text.slice(from, Math.min(to, from + 512)))
    return isOpaque ? { from, to, kind: 'authorization' } : null
  },
}

const COOKIE = /cookie\\{0,8}["']?\s?:\s{0,4}\\{0,8}["']?/iy
const COOKIE_NAME = characters(String.raw`^\s"'\\=`)
const COOKIES = characters(String.raw`^"'\\\r\n`)

export const cookies: Finder = {
  literals: ['cookie'],
  find: (text, at) => {
    COOKIE.lastIndex = at
    if (!COOKIE.test(text)) return null
    const from = COOKIE.lastIndex
    const name = runEnd(text, from, COOKIE_NAME, 128)
    if (name === from || text.charAt(name) !== '=') return null
    const to = runEnd(text, name + 1, COOKIES)
    return to - name - 1 >= 8 ? { from, to, kind: 'credential' } : null
  },
}

const SIGNED =
  /[?&](?:sig|signature|x-amz-signature|x-amz-security-token|x-amz-credential|x-goog-signature|client_secret)=/iy
const QUERY_VALUE = characters(String.raw`^&\s"'`)

/** The parts of a signed URL. */
export const signatures: Finder = {
  literals: ['sig=', 'signature=', 'x-amz-security-token=', 'x-amz-credential=', 'client_secret='],
  find: (text, at) => {
    return signatureAt(text, runStart(text, at, QUERY_NAME, LONGEST_QUERY_NAME) - 1)
  },
}

const QUERY_NAME = characters('a-zA-Z_-')
const LONGEST_QUERY_NAME = 24

function signatureAt(text: string, start: number): Span | null {
  SIGNED.lastIndex = Math.max(0, start)
  if (start < 0 || !SIGNED.test(text)) return null
  const from = SIGNED.lastIndex
  const to = runEnd(text, from, QUERY_VALUE)
  return isHarmlessValue(text.slice(from, to)) ? null : { from, to, kind: 'signature' }
}
