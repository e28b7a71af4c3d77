import { codeOfStatus } from '#/adapters/http/code-of-status.ts'
import type { HttpAnswer, HttpHeaders, HttpMeans, Unanswered } from '#/adapters/http/exchange.ts'
import { exchange } from '#/adapters/http/exchange.ts'
import type { Answer, Ask, Redirected } from './ask.ts'
import { blindOutcome } from './ask.ts'
import type { ClockSkew } from './clock-skew.ts'
import type { EtagStore, Remembered } from './etag-store.ts'
import type { Meter } from './meter.ts'
import { readJson } from './read-json.ts'
import { redirectTarget } from './redirect-target.ts'
import type { ReplyMeaning } from './reply-meaning.ts'
import { readHeader, readMeaning } from './reply-meaning.ts'
import type { Scrub } from './scrub.ts'
import type { Bearer } from './tokens.ts'

/** What every request of a client shares. */
export type Wire = {
  readonly http: HttpMeans
  readonly now: () => number
  readonly scrub: Scrub
  readonly etags: EtagStore
  readonly userAgent: string
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly skew: ClockSkew
}

export type Try = {
  readonly ask: Ask
  readonly url: URL
  readonly bearer: Bearer
  readonly meter: Meter
  readonly signal: AbortSignal
}

/** `reached`: GitHub may have acted on the request. `rejected`: it did not accept the token. */
export type Attempt = {
  readonly answer: Answer | Redirected
  readonly reached: boolean
  readonly rejected: boolean
}

const MOST_REDIRECTS = 5
const API_VERSION = '2022-11-28'

/** One request, followed over redirects within GitHub's own host (renamed repositories), and what the answer means. */
export async function attempt(wire: Wire, one: Try): Promise<Attempt> {
  let url = one.url
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const known = one.ask.method === 'GET' ? wire.etags.get(etagKey(one, url)) : null
    const reply = await exchange(
      wire.http,
      { method: one.ask.method, url, headers: headersFor(wire, one, known), body: buildBody(one.ask) },
      { timeoutMs: wire.timeoutMs, maxBytes: wire.maxBytes },
      one.signal,
    )
    if (reply.kind === 'blind') return unanswered(reply)
    const read = readReply(wire, one, reply)
    if (read.meaning.kind !== 'redirect') {
      const rejected = read.meaning.kind === 'unauthenticated'
      return { answer: toAnswer({ wire, one, url, known, reply, ...read }), reached: true, rejected }
    }
    const next = follow(one, url, reply.status, read.meaning.to)
    if (!(next instanceof URL)) return { answer: next, reached: true, rejected: false }
    url = next
  }
  const answer = blindOutcome('malformed', `${describeRequest(one)}: redirected more than ${MOST_REDIRECTS} times`)
  return { answer, reached: true, rejected: false }
}

/** The next address on the same host, or what the redirect amounts to. */
function follow(one: Try, from: URL, status: number, location: string): URL | Redirected | Answer {
  const to = redirectTarget(location, from)
  if (to === null) return blindOutcome('malformed', `${describeRequest(one)}: redirected to nowhere`)
  if (to.origin !== from.origin || (one.ask.redirects === 'returned' && status === 302))
    return { kind: 'redirected', to }
  const keepsMethod = one.ask.method === 'GET' || status === 307 || status === 308
  return keepsMethod
    ? to
    : blindOutcome('malformed', `${describeRequest(one)}: a ${status} redirect would change the order`)
}

function unanswered({ reason, sent }: Unanswered): Attempt {
  return { answer: { kind: 'blind', reason }, reached: sent, rejected: false }
}

type Read = { readonly meaning: ReplyMeaning; readonly message: string | null }

function readReply(wire: Wire, { meter }: Try, reply: HttpAnswer): Read {
  wire.skew.note(readHeader(reply.headers, 'date'))
  meter.note(reply.headers)
  const message = reply.status >= 400 ? readMessage(reply.body.toString('utf8'), wire.scrub) : null
  const meaning = readMeaning({ status: reply.status, headers: reply.headers, message }, wire.now(), meter.strikes())
  if (meaning.kind === 'limited' && meaning.limit === 'secondary') meter.hold(meaning.until)
  if (meaning.kind === 'ok' || meaning.kind === 'not-modified') meter.relieve()
  return { meaning, message }
}

type Outcome = Read & {
  readonly wire: Wire
  readonly one: Try
  readonly url: URL
  readonly known: Remembered | null
  readonly reply: HttpAnswer
}

function toAnswer(outcome: Outcome): Answer {
  const { meaning, one, reply, message, wire } = outcome
  const detail = `${describeRequest(one)}: ${reply.status}${message === null ? '' : ` ${message}`}`
  switch (meaning.kind) {
    case 'ok':
      return okAnswer(outcome)
    case 'not-modified':
      return confirmed(outcome, detail)
    case 'absent':
    case 'gone':
      return { kind: meaning.kind, detail }
    case 'refused':
      return { kind: 'refused', status: reply.status, detail }
    case 'unauthenticated':
      return blindOutcome('unauthenticated', `${detail}${wire.skew.remark()}`)
    case 'forbidden':
      return forbiddenAnswer(meaning.permission, detail, wire.scrub)
    case 'limited': {
      const until = new Date(meaning.until).toISOString()
      const limit = `the ${meaning.limit} rate limit holds until ${until}`
      return { kind: 'rate-limited', until: meaning.until, detail: `${detail}: ${limit}` }
    }
    case 'redirect':
    case 'failed':
      return blindOutcome(codeOfStatus(reply.status), `${detail}${contentNote(reply.headers)}`)
  }
}

function forbiddenAnswer(header: string | null, detail: string, scrub: Scrub): Answer {
  if (header === null) return { kind: 'forbidden', permission: null, detail }
  const permission = scrub.text(header)
  return { kind: 'forbidden', permission, detail: `${detail} (it needs ${permission})` }
}

function confirmed(outcome: Outcome, detail: string): Answer {
  if (outcome.known === null) return blindOutcome('malformed', `${detail}, which nobody asked for`)
  return answered(outcome, readJson(outcome.known.body), outcome.known.link)
}

function okAnswer(outcome: Outcome): Answer {
  const { wire, one, url, reply } = outcome
  const body = reply.body.toString('utf8')
  const json = body === '' ? null : readJson(body)
  if (json === undefined) {
    const note = contentNote(reply.headers)
    return blindOutcome('malformed', `${describeRequest(one)}: ${reply.status}, but the answer is not JSON${note}`)
  }
  const link = readHeader(reply.headers, 'link')
  const etag = readHeader(reply.headers, 'etag')
  if (one.ask.method === 'GET' && etag !== null) wire.etags.put(etagKey(one, url), { etag, body, link })
  return answered(outcome, json, link)
}

function answered({ one, reply }: Outcome, json: unknown, link: string | null): Answer {
  const scopes = readHeader(reply.headers, 'x-oauth-scopes')
  return { kind: 'ok', status: reply.status, json, link, scopes, credential: one.bearer.credential }
}

/** HTML where JSON was due is how a proxy or a sign-in page shows itself. */
function contentNote(headers: HttpHeaders): string {
  return /html/iu.test(readHeader(headers, 'content-type') ?? '')
    ? ' (an HTML page: is there a proxy or a sign-in in the way?)'
    : ''
}

function readMessage(text: string, scrub: Scrub): string | null {
  const json = readJson(text)
  if (typeof json !== 'object' || json === null || !('message' in json)) return null
  return typeof json.message === 'string' ? scrub.text(json.message) : null
}

function headersFor(wire: Wire, { bearer, ask }: Try, known: Remembered | null): Record<string, string> {
  return {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${bearer.token}`,
    'user-agent': wire.userAgent,
    'x-github-api-version': API_VERSION,
    ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(known === null ? {} : { 'if-none-match': known.etag }),
  }
}

function buildBody(ask: Ask): string | undefined {
  return ask.body === undefined ? undefined : JSON.stringify(ask.body)
}

/** GitHub's answer depends on who asks. */
function etagKey({ bearer }: Try, url: URL): string {
  return `${bearer.credential} ${url.href}`
}

function describeRequest({ ask, url }: Try): string {
  return `${ask.method} ${url.pathname}`
}
