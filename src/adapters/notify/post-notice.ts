import { readHeader, retryAfter } from '#/adapters/github/http/reply-meaning.ts'
import { describeRequest, exchange } from '#/adapters/http/exchange.ts'
import type { HttpAnswer, HttpMeans, HttpRequest } from '#/adapters/http/exchange.ts'
import type { Secret } from '#/core/basics/secret.ts'
import type { Sending } from '#/ports/notifier.ts'

export type Posting = {
  /** The URL is a secret: it is enough to post. */
  readonly url: Secret
  readonly body: unknown
  readonly headers?: (body: string) => Readonly<Record<string, string>>
}

const LIMITS = { timeoutMs: 15_000, maxBytes: 65_536 }
/** Nothing gets through: the URL is wrong, was revoked, or its channel is gone. A redirect is not followed. */
const MISDIRECTED = new Set([301, 302, 303, 307, 308, 401, 402, 403, 404, 405, 407, 410])
const PASSING = new Set([408, 409, 423, 425, 429])

/** One try. What is said of a failure never holds the address. */
export async function postNotice(http: HttpMeans, posting: Posting, signal: AbortSignal): Promise<Sending> {
  const text = JSON.stringify(posting.body)
  const request: HttpRequest = {
    method: 'POST',
    url: new URL(posting.url.reveal()),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'signalbox',
      ...posting.headers?.(text),
    },
    body: text,
  }
  const answer = await exchange(http, request, LIMITS, signal)
  if (answer.kind === 'answered') return toSending(answer, request.url, http.clock.now())
  const why = answer.reason.detail.replaceAll(describeRequest(request), `POST ${request.url.host}`)
  return { kind: 'later', why, notBefore: null }
}

function toSending(answer: HttpAnswer, { host }: URL, now: number): Sending {
  const { status, headers } = answer
  if (status >= 200 && status < 300) return { kind: 'sent' }
  const why = `POST ${host}: it answered ${status}${describeBody(answer)}`
  if (status >= 500 || PASSING.has(status)) {
    const waitMs = retryAfter(readHeader(headers, 'retry-after'), now)
    return { kind: 'later', why, notBefore: waitMs === null ? null : now + waitMs }
  }
  if (MISDIRECTED.has(status)) {
    return { kind: 'paused', why: `${why}; its address is wrong or was revoked, or a proxy stands in the way` }
  }
  return { kind: 'refused', why }
}

/** Slack says what is wrong in one word; a page or a document might quote what we sent. */
function describeBody({ body }: HttpAnswer): string {
  const words = body.toString('utf8').trim()
  return /^[a-z_ ]{1,60}$/i.test(words) ? ` (${words})` : ''
}
