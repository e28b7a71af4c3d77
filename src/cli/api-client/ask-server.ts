import { readHeader, retryAfter } from '#/adapters/github/http/reply-meaning.ts'
import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import { exchange } from '#/adapters/http/exchange.ts'
import type { HttpAnswer, HttpMeans, Unanswered } from '#/adapters/http/exchange.ts'
import { proxyFor } from '#/adapters/http/proxy-for.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { readNetwork } from '#/app/network.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import { listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import { createTurns } from './await-turn.ts'
import type { Busy } from './await-turn.ts'
import { findServerAddress, tlsTo, tokenFor } from './server-address.ts'
import type { ServerAddress } from './server-address.ts'

export type Question = {
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

export type Reply =
  | {
      readonly kind: 'answered'
      readonly body: Buffer
      /** The server's clock, to the second. */
      readonly answeredAt: number | null
    }
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly why: string
      readonly advice: readonly string[]
      /** How long the server asks us to wait; null where it does not say. */
      readonly retryAfterMs: number | null
    }
  /** Nothing answers, or something other than signalbox serve. */
  | { readonly kind: 'silent'; readonly why: string }

export type Server = AsyncDisposable & {
  readonly url: string
  /** Set by a flag or the configuration; otherwise this is the default address on this machine. */
  readonly isNamed: boolean
  readonly ask: (question: Question) => Promise<Reply>
}

export type AskingContext = Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'>

const TIMEOUT_MS = 120_000
const MOST_BYTES = 64 * 1024 * 1024

/** The server from the flags or the configuration, or the default on this machine. Sends no request yet. */
export async function openServer(context: AskingContext): Promise<Server> {
  const { clock, signal } = context
  const { config } = await context.config()
  const address = await findServerAddress(config)
  const token = await tokenFor(address, config)
  const { proxies, authorities } = await readNetwork(config)
  const dispatchers = makeDispatchers({
    wayTo: (target) => (address.isOwn || address.socket !== null ? null : proxyFor(target, proxies)),
    tls: await tlsTo(address, authorities),
    proxyCa: authorities,
    connections: null,
    socketPath: address.socket ?? undefined,
  })
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  const means = { dispatchers, clock }
  const inTurn = createTurns(context)
  const ask = (question: Question): Promise<Reply> => put(means, question, { url: toHttp(address), headers, signal })
  return {
    url: address.url,
    isNamed: !address.isOwn,
    ask: async (question) => withAdvice(await inTurn(() => ask(question), whenToRead(question)), address),
    [Symbol.asyncDispose]: () => dispatchers.close(),
  }
}

async function put(
  means: HttpMeans,
  { path, query = {}, method = 'GET', body: sent, timeoutMs = TIMEOUT_MS, maxBytes = MOST_BYTES }: Question,
  to: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Reply> {
  const url = new URL(`${to.url}${path}`)
  for (const [key, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(key, value)
  const content = sent === undefined ? {} : { body: JSON.stringify(sent) }
  const headers = { ...to.headers, ...(sent === undefined ? {} : { 'content-type': 'application/json' }) }
  const answer = await exchange(means, { method, url, headers, ...content }, { timeoutMs, maxBytes }, to.signal)
  to.signal.throwIfAborted()
  return toReply(answer, means.clock.now())
}

/** Only reading is repeated: of anything else the user decides. */
function whenToRead({ method = 'GET' }: Question): (reply: Reply) => Busy | null {
  return (reply) => {
    if (method !== 'GET' || reply.kind !== 'refused' || !BUSY.has(reply.status)) return null
    return reply.retryAfterMs === null ? null : { why: reply.why, retryAfterMs: reply.retryAfterMs }
  }
}

const BUSY: ReadonlySet<number> = new Set([429, 503])

function toReply(answer: HttpAnswer | Unanswered, now: number): Reply {
  if (answer.kind === 'blind') return { kind: 'silent', why: `${answer.reason.code}: ${answer.reason.detail}` }
  const { status, body } = answer
  if (status === 200 || status === 201)
    return { kind: 'answered', body, answeredAt: Date.parse(readHeader(answer.headers, 'date') ?? '') || null }
  const problem = documentIn(body)
  const why = textAt(problem, 'detail')
  if (why === null) return { kind: 'silent', why: `the server there is not signalbox serve (HTTP ${status})` }
  const advice = listAt(problem, 'advice').filter((one) => typeof one === 'string')
  return {
    kind: 'refused',
    status,
    why,
    advice,
    retryAfterMs: retryAfter(readHeader(answer.headers, 'retry-after'), now),
  }
}

function toHttp({ url, socket }: ServerAddress): string {
  return socket === null ? url : 'http://localhost'
}

/** What only this side knows about a refusal. */
function withAdvice(reply: Reply, { deniedSocket }: ServerAddress): Reply {
  if (reply.kind !== 'refused' || reply.status !== 401 || deniedSocket === null) return reply
  const own = `the socket ${deniedSocket} belongs to another user: run this as that user, or use --server URL --token-file FILE`
  return { ...reply, advice: [own, ...reply.advice] }
}

function documentIn(body: Buffer): unknown {
  const reading = parseJson(body.toString('utf8'))
  return reading.kind === 'parsed' ? reading.value : null
}

/** The body, or a failure for the user. */
export function answerBody(server: Pick<Server, 'url' | 'isNamed'>, reply: Reply): Buffer {
  if (reply.kind === 'answered') return reply.body
  if (reply.kind === 'refused') {
    const code = [404, 409].includes(reply.status) ? EXIT.failed : EXIT.blind
    throw new CommandFailure(code, `${server.url}: ${reply.why}`, reply.advice)
  }
  throw new CommandFailure(EXIT.blind, `no server answers at ${server.url}`, [
    reply.why,
    ...(server.isNamed ? [] : ['start it: signalbox serve']),
    `or use another server: --server URL${server.isNamed ? '' : ' (--token-file FILE, --ca-file FILE)'}`,
  ])
}

/** Null when the answer is not from signalbox serve. */
export function readDocument(body: Buffer): unknown {
  const document = documentIn(body)
  return numberAt(document, 'schemaVersion') === 1 ? document : null
}

export async function askDocument(server: Server, question: Question): Promise<unknown> {
  const document = readDocument(answerBody(server, await server.ask(question)))
  if (document !== null) return document
  throw new CommandFailure(EXIT.blind, `the server at ${server.url} is not signalbox serve`, [
    'use another server: --server URL',
  ])
}

/** All pages of a list. */
export async function* readPages(server: Server, question: Question): AsyncGenerator {
  // The server judges a whole page before it answers, so pages are small.
  const limit = question.method === 'POST' ? '50' : '500'
  for (let after: string | undefined; ;) {
    const page = await askDocument(server, { ...question, query: { ...question.query, after, limit } })
    yield page
    after = textAt(page, 'next') ?? undefined
    if (after === undefined) return
  }
}
