import { errors } from 'undici'
import type { BlindCode, BlindReason } from '#/core/basics/observed.ts'

type Meaning = { readonly code: BlindCode; readonly text: string; readonly unsent?: true }

export type Failure = {
  readonly reason: BlindReason
  /** False where no connection was made, so that the other side cannot have acted. */
  readonly sent: boolean
}

const MEANINGS: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: { code: 'unreachable', text: 'the connection was refused', unsent: true },
  ECONNRESET: { code: 'unreachable', text: 'the connection was reset' },
  EPIPE: { code: 'unreachable', text: 'the connection was closed while we were sending' },
  ENOTFOUND: { code: 'unreachable', text: 'the name does not resolve', unsent: true },
  EAI_AGAIN: { code: 'unreachable', text: 'the name could not be resolved now', unsent: true },
  EHOSTUNREACH: { code: 'unreachable', text: 'there is no route to the host', unsent: true },
  ENETUNREACH: { code: 'unreachable', text: 'there is no route to the network', unsent: true },
  ETIMEDOUT: { code: 'timeout', text: 'the connection timed out' },
  UND_ERR_CONNECT_TIMEOUT: { code: 'timeout', text: 'cannot connect in time', unsent: true },
  UND_ERR_HEADERS_TIMEOUT: { code: 'timeout', text: 'no answer in time' },
  UND_ERR_BODY_TIMEOUT: { code: 'timeout', text: 'the answer stopped arriving' },
  SOURCE_SILENT: { code: 'timeout', text: 'no more data arrived' },
  UND_ERR_SOCKET: { code: 'unreachable', text: 'the other side closed the connection' },
  UND_ERR_HEADERS_OVERFLOW: { code: 'too-large', text: 'the headers of the answer are too large' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { code: 'truncated', text: 'the answer is shorter or longer than announced' },
  UND_ERR_PRX_TLS: { code: 'unreachable', text: 'TLS with the proxy failed', unsent: true },
  UND_ERR_PRX_CONN: { code: 'unreachable', text: 'the proxy could not be reached', unsent: true },
  UND_ERR_ABORTED: { code: 'unreachable', text: 'the connection was aborted, perhaps by the proxy' },
  UND_ERR_DESTROYED: { code: 'stopped', text: 'the client was closed', unsent: true },
  UND_ERR_CLOSED: { code: 'stopped', text: 'the client was closed', unsent: true },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    code: 'unreachable',
    text: 'TLS: the certificate is for another name',
    unsent: true,
  },
  EPROTO: { code: 'unreachable', text: 'TLS: the other side does not support it' },
}

const FAMILIES: readonly (Meaning & { readonly pattern: RegExp })[] = [
  { pattern: /^HPE_/u, code: 'malformed', text: 'the answer is not HTTP' },
  {
    pattern: /CERT|SIGNATURE|ISSUER|CRL/u,
    code: 'unreachable',
    text: 'TLS: the certificate is not trusted',
    unsent: true,
  },
  { pattern: /SSL|TLS/u, code: 'unreachable', text: 'TLS failed' },
]

const UNNAMED: Meaning = { code: 'unreachable', text: 'the connection failed' }

/** Mistakes of the program itself: these stay exceptions. */
const FAULTS = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'ERR_INVALID_ARG_TYPE', 'ERR_INVALID_URL'])

/**
 * What a thrown error of the network means. The detail names the code and never the error's own message, which may
 * quote what was sent. Throws again what the world did not do.
 */
export function describeFailure(error: unknown, what: string): Failure {
  const code = errorCode(error)
  if (code === null || FAULTS.has(code)) throw error
  const meaning = MEANINGS[code] ?? FAMILIES.find(({ pattern }) => pattern.test(code)) ?? UNNAMED
  return {
    reason: { code: meaning.code, detail: `${what}: ${meaning.text} (${code})` },
    sent: meaning.unsent !== true,
  }
}

/** The same for an answer that had begun: a connection that goes then leaves a part of it. */
export function describeBreak(error: unknown, what: string): BlindReason {
  const { code, detail } = describeFailure(error, what).reason
  return { code: code === 'unreachable' ? 'truncated' : code, detail: `${detail}, in the middle of the answer` }
}

/** The innermost code: a proxy or an AggregateError wraps what happened. */
function errorCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const inner = errorCode(error.cause)
  if (inner !== null) return inner
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof errors.HTTPParserError ? 'HPE_UNNAMED' : null
}
