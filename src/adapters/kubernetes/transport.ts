import type { Dispatchers, TlsOptions } from '#/adapters/http/dispatchers.ts'
import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import type { HttpAnswer, HttpRequest, HttpStream, Unanswered } from '#/adapters/http/exchange.ts'
import { exchange, openStream } from '#/adapters/http/exchange.ts'
import { upgrade } from '#/adapters/http/upgrade.ts'
import type { Upgraded } from '#/adapters/http/upgrade.ts'
import type { Proxies } from '#/adapters/http/proxy-for.ts'
import { proxyFor } from '#/adapters/http/proxy-for.ts'
import type { Blind } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Credentials, CredentialSource } from './credentials.ts'
import { retryAfterMs } from './reply.ts'
import type { Tuning } from './tuning.ts'

export type Call = {
  readonly method: HttpRequest['method']
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly contentType?: string
  readonly body?: unknown
}

/** Requests with credentials that stay fresh. */
export type Transport = {
  /** A GET is tried again where the connection broke before an answer, and where the server names a time. */
  readonly exchange: (call: Call, signal: AbortSignal) => Promise<HttpAnswer | Unanswered>
  /** One attempt, for those who come again themselves. */
  readonly open: (call: Call, signal: AbortSignal) => Promise<HttpStream | Unanswered>
  /** The same as patiently as `exchange`, for what is read once. */
  readonly openRead: (call: Call, signal: AbortSignal) => Promise<HttpStream | Unanswered>
  /** A WebSocket with one of these protocols, or the answer that refuses it. One attempt: what it begins may have begun. */
  readonly upgrade: (call: UpgradeCall, signal: AbortSignal) => Promise<Upgraded | HttpAnswer | Unanswered>
  readonly close: () => Promise<void>
}

export type UpgradeCall = {
  /** With its query. */
  readonly path: string
  readonly protocols: readonly string[]
  readonly timeoutMs: number
}

export type TransportOptions = {
  readonly credentials: CredentialSource
  readonly clock: Clock
  readonly tuning: Tuning
  readonly proxies: Proxies
  readonly userAgent: string
  /** PEM, where the kubeconfig has no authority of its own, and for proxies. */
  readonly ownAuthorities?: TlsOptions['ca']
}

/** Streams are not counted: each holds its connection for as long as it lives. */
const CONNECTIONS = 16
const READ_ATTEMPTS = 3

type Connections = { readonly key: string; readonly short: Dispatchers; readonly streams: Dispatchers }

export function makeTransport(options: TransportOptions): Transport {
  const { clock, tuning } = options
  let connections: Connections | null = null

  const connect = (credentials: Credentials): Connections => {
    const key = JSON.stringify([credentials.tls, credentials.proxyUrl])
    if (connections?.key === key) return connections
    void closeAll(connections)
    connections = { key, ...openConnections(credentials, options) }
    return connections
  }
  const limits = { timeoutMs: tuning.requestTimeoutMs, maxBytes: tuning.maxAnswerBytes }
  const once = authorized(options.credentials, (call: Call, credentials, signal) => {
    const means = { dispatchers: connect(credentials).short, clock }
    return exchange(means, toHttp(call, credentials, options.userAgent), limits, signal)
  })
  const open = authorized(options.credentials, (call: Call, credentials, signal) => {
    const means = { dispatchers: connect(credentials).streams, clock }
    return openStream(means, toHttp(call, credentials, options.userAgent), limits, signal)
  })
  const asWebSocket = authorized(options.credentials, (call: UpgradeCall, credentials, signal) => {
    const means = { dispatchers: connect(credentials).streams, clock }
    const { url, headers } = toHttp({ method: 'GET', path: call.path }, credentials, options.userAgent)
    return upgrade(means, { url, headers, protocols: call.protocols }, call, signal)
  })
  return {
    upgrade: asWebSocket,
    exchange: patiently(once, clock, tuning),
    open,
    openRead: patiently(open, clock, tuning),
    close: () => closeAll(connections),
  }
}

type Ask<T> = (call: Call, signal: AbortSignal) => Promise<T | Unanswered>

function patiently<T extends HttpAnswer | HttpStream>(ask: Ask<T>, clock: Clock, tuning: Tuning): Ask<T> {
  return async (call, signal) => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await ask(call, signal)
      const pauseMs = call.method === 'GET' && attempt < READ_ATTEMPTS ? pauseBefore(answer, attempt, tuning) : null
      if (pauseMs === null || signal.aborted) return answer
      if (answer.kind === 'open') answer.close()
      await clock.sleep(pauseMs, signal)
    }
  }
}

type Attempt<C, T> = (call: C, credentials: Credentials, signal: AbortSignal) => Promise<T | Unanswered>

/** A 401 leads to one renewal and one more attempt. */
function authorized<C, T extends HttpAnswer | HttpStream | Upgraded>(
  source: CredentialSource,
  attempt: Attempt<C, T>,
): (call: C, signal: AbortSignal) => Promise<T | Unanswered> {
  return async (call, signal) => {
    const credentials = await source.current(signal)
    if (credentials.kind === 'blind') return unsent(credentials)
    const first = await attempt(call, credentials, signal)
    if (first.kind === 'blind' || first.status !== 401) return first
    const renewed = await source.renew(credentials, signal)
    if (renewed.kind === 'blind') return first
    if (first.kind === 'open') first.close()
    return await attempt(call, renewed, signal)
  }
}

function unsent(reason: Blind): Unanswered {
  return { ...reason, sent: false }
}

/** Null where another attempt is not called for. */
function pauseBefore(answer: HttpAnswer | HttpStream | Unanswered, attempt: number, tuning: Tuning): number | null {
  if (answer.kind !== 'blind') return askedToWait(answer, tuning)
  // A connection that was kept open and that the other side has closed since, as a server does when it goes.
  return answer.sent && answer.reason.code === 'unreachable' ? (attempt - 1) * tuning.backoffFirstMs : null
}

/** Only where the server names a time: it does so when it has not begun to serve the request. */
function askedToWait({ status, headers }: HttpAnswer | HttpStream, tuning: Tuning): number | null {
  if (status !== 429 && status !== 503) return null
  const waitMs = retryAfterMs(headers)
  return waitMs !== null && waitMs <= tuning.retryAfterMostMs ? waitMs : null
}

function openConnections(
  { tls, proxyUrl }: Credentials,
  { proxies, ownAuthorities }: TransportOptions,
): Omit<Connections, 'key'> {
  const shared = {
    wayTo: proxyUrl === null ? (target: URL) => proxyFor(target, proxies) : () => proxyUrl,
    tls: { ...tls, ca: tls.ca ?? ownAuthorities },
    proxyCa: ownAuthorities,
  }
  return {
    short: makeDispatchers({ ...shared, connections: CONNECTIONS }),
    streams: makeDispatchers({ ...shared, connections: null }),
  }
}

async function closeAll(connections: Connections | null): Promise<void> {
  await Promise.all([connections?.short.close(), connections?.streams.close()])
}

function toHttp(call: Call, { server, headers }: Credentials, userAgent: string): HttpRequest {
  const url = new URL(server)
  const [path = '', search = ''] = call.path.split('?')
  url.pathname = `${server.pathname.replace(/\/$/u, '')}${path}`
  url.search = search
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return {
    method: call.method,
    url,
    headers: {
      'user-agent': userAgent,
      accept: 'application/json, */*;q=0.1',
      ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
      ...headers,
    },
    body: call.body === undefined ? undefined : JSON.stringify(call.body),
  }
}
