import type { BlindCode } from '#/core/basics/observed.ts'

const CODES: Readonly<Record<number, BlindCode>> = {
  400: 'unsupported',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'unsupported',
  405: 'unsupported',
  406: 'unsupported',
  407: 'unauthenticated',
  408: 'timeout',
  410: 'expired',
  413: 'refused-by-limits',
  414: 'refused-by-limits',
  415: 'unsupported',
  422: 'unsupported',
  429: 'rate-limited',
  431: 'refused-by-limits',
  501: 'unsupported',
  504: 'timeout',
}

/** Why a status that is not a success leaves us without the fact. A source that knows better (GitHub's 403 for limits) decides first. */
export function codeOfStatus(status: number): BlindCode {
  const known = CODES[status]
  if (known !== undefined) return known
  return status >= 500 ? 'server-error' : 'malformed'
}
