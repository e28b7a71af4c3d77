import { codeOfStatus } from '#/adapters/http/code-of-status.ts'
import type { HttpAnswer, HttpHeaders, Unanswered } from '#/adapters/http/exchange.ts'
import type { Blind, BlindReason } from '#/core/basics/observed.ts'
import { blind } from '#/core/basics/observed.ts'
import { parseJson } from './parse-json.ts'
import type { JsonRecord } from './record.ts'
import type { Status } from './status.ts'
import { parseStatus } from './status.ts'

/** What the API server said, by what a caller can do with it. */
export type Reply =
  | { readonly kind: 'ok'; readonly value: JsonRecord }
  | Declined
  /** An answer that cannot be understood, or none. `sent`: the server may have acted. */
  | (Blind & { readonly sent: boolean })

/** A status that is no success, with what it means for a reader. */
export type Declined = {
  readonly kind: 'declined'
  readonly http: number
  readonly status: Status | null
  readonly retryAfterMs: number | null
  readonly reason: BlindReason
}

export function interpret(answer: HttpAnswer | Unanswered, what: string): Reply {
  if (answer.kind === 'blind') return answer
  if (answer.status < 200 || answer.status > 299) return declined(answer, what)
  const parsed = parseJson(answer.body.toString('utf8'), what)
  return parsed.kind === 'parsed' ? { kind: 'ok', value: parsed.value } : { ...parsed, sent: true }
}

export function declined(answer: Pick<HttpAnswer, 'status' | 'headers' | 'body'>, what: string): Declined {
  const text = answer.body.toString('utf8')
  const parsed = parseJson(text, what)
  const status = parsed.kind === 'parsed' ? parseStatus(parsed.value) : null
  return {
    kind: 'declined',
    http: answer.status,
    status,
    retryAfterMs: retryAfterMs(answer.headers),
    reason: toBlindReason(answer.status, status, text, what),
  }
}

/** Seconds, as the API server writes it; the form with a date is not used by it. */
export function retryAfterMs(headers: HttpHeaders): number | null {
  const value = headers['retry-after']
  return typeof value === 'string' && /^\d{1,6}$/u.test(value) ? Number(value) * 1000 : null
}

/** For readers: everything but success leaves them without the fact. */
export function toBlind(reply: Exclude<Reply, { readonly kind: 'ok' }>): Blind {
  return { kind: 'blind', reason: reply.reason }
}

function toBlindReason(http: number, status: Status | null, text: string, what: string): BlindReason {
  if (status !== null) {
    const message = status.message === '' ? status.reason : status.message
    return blind(codeOfStatus(http), `${what}: ${http} ${message}`).reason
  }
  if (text.trimStart().startsWith('<')) {
    const code = http === 404 ? 'malformed' : codeOfStatus(http)
    return blind(code, `${what}: ${http} with an HTML page, perhaps from a proxy`).reason
  }
  const problem = http === 404 ? 'the server does not know this kind or path' : 'the answer is not a Status'
  return blind(codeOfStatus(http), `${what}: ${http}, ${problem}`).reason
}
