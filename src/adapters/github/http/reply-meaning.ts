import type { HttpHeaders } from '#/adapters/http/exchange.ts'

/** What a status and its headers mean at GitHub, before anybody asks what to do about it. */
export type ReplyMeaning =
  | { readonly kind: 'ok' }
  | { readonly kind: 'not-modified' }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly permission: string | null }
  | { readonly kind: 'limited'; readonly limit: 'primary' | 'secondary'; readonly until: number }
  | { readonly kind: 'failed' }

export type RawReply = {
  readonly status: number
  readonly headers: HttpHeaders
  /** The `message` of a JSON body, else null. */
  readonly message: string | null
}

const SECONDARY_WAIT_MS = 60_000
/** GitHub's window is an hour; a longer wait means that it is not GitHub, or that a clock is wrong. */
export const LONGEST_WAIT_MS = 65 * 60_000

type Plain = Extract<ReplyMeaning['kind'], 'not-modified' | 'refused' | 'unauthenticated' | 'absent' | 'gone'>

const PLAIN: Readonly<Record<number, Plain>> = {
  304: 'not-modified',
  400: 'refused',
  401: 'unauthenticated',
  404: 'absent',
  409: 'refused',
  410: 'gone',
  422: 'refused',
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const REFUSALS = new Set([403, 429, 451])

/** `strikes`: how many secondary limits came in a row before this one. GitHub asks for ever longer pauses. */
export function readMeaning(reply: RawReply, now: number, strikes: number): ReplyMeaning {
  const { status, headers } = reply
  const plain = PLAIN[status]
  if (plain !== undefined) return { kind: plain }
  if (status >= 200 && status < 300) return { kind: 'ok' }
  if (REDIRECTS.has(status)) return { kind: 'redirect', to: readHeader(headers, 'location') ?? '' }
  if (REFUSALS.has(status)) return readLimit(reply, now, strikes) ?? readRefusal(reply)
  return { kind: 'failed' }
}

/** GitHub says 403 also of a run that is still running or too old to be run again: a no to the act, not to us. */
const NOT_ABOUT_RIGHTS = /already running|\bretr(?:y|ied)\b|\bre-?run/iu

function readRefusal({ headers, message }: RawReply): ReplyMeaning {
  if (NOT_ABOUT_RIGHTS.test(message ?? '')) return { kind: 'refused' }
  return { kind: 'forbidden', permission: readHeader(headers, 'x-accepted-github-permissions') }
}

function readLimit({ status, headers, message }: RawReply, now: number, strikes: number): ReplyMeaning | null {
  const saysLimit = status === 429 || /rate limit|abuse detection/iu.test(message ?? '')
  const retryAfterMs = retryAfter(readHeader(headers, 'retry-after'), now)
  if (retryAfterMs !== null) return limited('secondary', now + retryAfterMs, now)
  if (!saysLimit) return null
  const reset = toNumber(readHeader(headers, 'x-ratelimit-reset'))
  const spent = readHeader(headers, 'x-ratelimit-remaining') === '0' && reset !== null
  // One second more, because the reset time has whole seconds.
  if (spent) return limited('primary', (reset + 1) * 1000, now)
  return limited('secondary', now + SECONDARY_WAIT_MS * 2 ** Math.min(strikes, 6), now)
}

function limited(limit: 'primary' | 'secondary', until: number, now: number): ReplyMeaning {
  return { kind: 'limited', limit, until: Math.min(Math.max(until, now + 1000), now + LONGEST_WAIT_MS) }
}

/** Seconds, or a date as RFC 9110 allows. */
export function retryAfter(value: string | null, now: number): number | null {
  if (value === null) return null
  const seconds = toNumber(value)
  if (seconds !== null) return seconds * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

export function readHeader(headers: HttpHeaders, name: string): string | null {
  const value = headers[name]
  const single = typeof value === 'object' ? value[0] : value
  return single ?? null
}

/** A plain count in a header; anything else is not a number to us. */
export function toNumber(value: string | null): number | null {
  return value !== null && /^\d{1,15}$/u.test(value) ? Number(value) : null
}
