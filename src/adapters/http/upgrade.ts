import { createHash, randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Dispatcher } from 'undici'
import { blind } from '#/core/basics/observed.ts'
import { startDeadline } from './deadline.ts'
import { describeFailure } from './describe-failure.ts'
import { describeRequest } from './exchange.ts'
import type { HttpAnswer, HttpHeaders, HttpMeans, HttpRequest, StreamLimits, Unanswered } from './exchange.ts'

export type Upgraded = {
  readonly kind: 'upgraded'
  readonly status: 101
  /** The one of the offered protocols that the server chose. */
  readonly protocol: string
  /** Whoever has it ends it. */
  readonly socket: Duplex
}

export type UpgradeRequest = Omit<HttpRequest, 'method' | 'body'> & { readonly protocols: readonly string[] }

/** A refusal is a document of a few lines. */
const MOST_REFUSAL_BYTES = 64 * 1024
const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

type Outcome = Upgraded | HttpAnswer | Unanswered

/** Asks for a WebSocket. The server may answer with something else, which says why. */
export async function upgrade(
  { dispatchers, clock }: HttpMeans,
  { url, headers, protocols }: UpgradeRequest,
  { timeoutMs }: StreamLimits,
  signal: AbortSignal,
): Promise<Outcome> {
  using deadline = startDeadline(clock, timeoutMs, signal)
  const what = describeRequest({ method: 'GET', url, headers })
  const key = randomBytes(16).toString('base64')
  const asked = {
    ...headers,
    'sec-websocket-key': key,
    'sec-websocket-version': '13',
    'sec-websocket-protocol': protocols.join(', '),
  }
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const stop = (): void => {
    const late = deadline.expired()
      ? blind('timeout', `${what}: no answer within ${timeoutMs} ms`)
      : blind('stopped', `${what}: given up because we are stopping`)
    resolve({ ...late, sent: true })
  }
  deadline.signal.addEventListener('abort', stop, { once: true })
  if (deadline.signal.aborted) stop()
  const upgraded = (answer: HttpHeaders, socket: Duplex): void => {
    const protocol = String(answer['sec-websocket-protocol'] ?? '')
    const proof = createHash('sha1').update(`${key}${MAGIC}`).digest('base64')
    if (answer['sec-websocket-accept'] === proof && protocols.includes(protocol) && !deadline.signal.aborted) {
      return resolve({ kind: 'upgraded', status: 101, protocol, socket })
    }
    socket.destroy()
    resolve({ ...blind('malformed', `${what}: not a WebSocket of ${protocols.join(' or ')}`), sent: true })
  }
  const request = { origin: url.origin, path: `${url.pathname}${url.search}`, headers: asked, method: 'GET' as const }
  const handler = createHandler({ what, signal: deadline.signal, upgraded, resolve, reject })
  dispatchers.for(url).dispatch({ ...request, upgrade: 'websocket' }, handler)
  return promise
}

type HandlerMeans = {
  readonly what: string
  readonly signal: AbortSignal
  readonly upgraded: (headers: HttpHeaders, socket: Duplex) => void
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

function createHandler({ what, signal, upgraded, resolve, reject }: HandlerMeans): Dispatcher.DispatchHandler {
  let refusal: Pick<HttpAnswer, 'status' | 'headers'> = { status: 0, headers: {} }
  const chunks: Buffer[] = []
  let bytes = 0
  return {
    onRequestStart: (controller) => {
      const abort = (): void => controller.abort(new Error('given up'))
      signal.addEventListener('abort', abort, { once: true })
      if (signal.aborted) abort()
    },
    onRequestUpgrade: (_controller, _status, headers, socket) => upgraded(headers, socket),
    onResponseStart: (_controller, status, headers) => {
      refusal = { status, headers }
    },
    onResponseData: (controller, chunk) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes <= MOST_REFUSAL_BYTES) return
      resolve({ ...blind('too-large', `${what}: the answer is larger than ${MOST_REFUSAL_BYTES} bytes`), sent: true })
      controller.abort(new Error('too large'))
    },
    onResponseEnd: () => resolve({ kind: 'answered', ...refusal, body: Buffer.concat(chunks) }),
    onResponseError: (_controller, error) => {
      // Our own abort has been answered already.
      if (signal.aborted || bytes > MOST_REFUSAL_BYTES) return
      try {
        resolve({ kind: 'blind', ...describeFailure(error, what) })
      } catch (fault) {
        reject(fault)
      }
    },
  }
}
