import type { Dispatcher } from 'undici'
import type { Blind } from '#/core/basics/observed.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Deadline } from './deadline.ts'
import { startDeadline } from './deadline.ts'
import { describeBreak, describeFailure } from './describe-failure.ts'
import type { Dispatchers } from './dispatchers.ts'
import { readBounded } from './read-bounded.ts'

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
}

export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** An answer of any status is an answer. */
export type HttpAnswer = {
  readonly kind: 'answered'
  readonly status: number
  readonly headers: HttpHeaders
  readonly body: Buffer
}

export type HttpStream = {
  readonly kind: 'open'
  readonly status: number
  readonly headers: HttpHeaders
  /** Throws when the connection breaks; `describeFailure` says what that means. */
  readonly body: AsyncIterable<Uint8Array>
  /** Ends the connection without waiting for the rest. */
  readonly close: () => void
}

/** Blind before the first byte of an answer; `sent` says whether the other side may have acted on the request. */
export type Unanswered = Blind & { readonly sent: boolean }

export type HttpMeans = { readonly dispatchers: Dispatchers; readonly clock: Clock }
export type StreamLimits = { readonly timeoutMs: number }
export type ExchangeLimits = StreamLimits & { readonly maxBytes: number }

/** One request and its whole answer, in bounded time and memory. Redirects are answers. */
export async function exchange(
  means: HttpMeans,
  request: HttpRequest,
  limits: ExchangeLimits,
  signal: AbortSignal,
): Promise<HttpAnswer | Unanswered> {
  using deadline = startDeadline(means.clock, limits.timeoutMs, signal)
  const stream = await send(means, request, deadline, limits.timeoutMs)
  if (stream.kind === 'blind') return stream
  const what = describeRequest(request)
  try {
    const body = await readBounded(stream.body, limits.maxBytes)
    if (body !== 'too-large') return { kind: 'answered', status: stream.status, headers: stream.headers, body }
    stream.close()
    return { ...blind('too-large', `${what}: the answer is larger than ${limits.maxBytes} bytes`), sent: true }
  } catch (error) {
    if (deadline.signal.aborted) return ended(deadline, what, limits.timeoutMs)
    return { kind: 'blind', reason: describeBreak(error, what), sent: true }
  }
}

/** The time limit is for the beginning of the answer; how long the body may take is the reader's business. */
export async function openStream(
  means: HttpMeans,
  request: HttpRequest,
  limits: StreamLimits,
  signal: AbortSignal,
): Promise<HttpStream | Unanswered> {
  using deadline = startDeadline(means.clock, limits.timeoutMs, signal)
  const stream = await send(means, request, deadline, limits.timeoutMs)
  if (stream.kind === 'blind') return stream
  const close = (): void => {
    signal.removeEventListener('abort', close)
    stream.close()
  }
  signal.addEventListener('abort', close, { once: true })
  return { ...stream, close }
}

/** Without query and credentials: both may hold secrets. */
export function describeRequest({ method, url }: HttpRequest): string {
  return `${method} ${url.host}${url.pathname}`
}

async function send(
  means: HttpMeans,
  request: HttpRequest,
  deadline: Deadline,
  timeoutMs: number,
): Promise<HttpStream | Unanswered> {
  const what = describeRequest(request)
  try {
    const answer = await means.dispatchers.for(request.url).request(requestOptions(request, deadline.signal))
    const { body } = answer
    // Who reads gets the failure from reading; a body that is closed unread must not end the process.
    body.on('error', () => undefined)
    return { kind: 'open', status: answer.statusCode, headers: answer.headers, body, close: () => body.destroy() }
  } catch (error) {
    if (deadline.signal.aborted) return ended(deadline, what, timeoutMs)
    return { kind: 'blind', ...describeFailure(error, what) }
  }
}

function ended(deadline: Deadline, what: string, timeoutMs: number): Unanswered {
  const why = deadline.expired()
    ? blind('timeout', `${what}: no whole answer within ${timeoutMs} ms`)
    : blind('stopped', `${what}: given up because we are stopping`)
  return { ...why, sent: true }
}

function requestOptions({ method, url, headers, body }: HttpRequest, signal: AbortSignal): Dispatcher.RequestOptions {
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: { ...headers },
    body: body ?? null,
    signal,
  }
}
