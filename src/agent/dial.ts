import type { z } from 'zod'
import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import { exchange } from '#/adapters/http/exchange.ts'
import type { HttpAnswer, HttpMeans } from '#/adapters/http/exchange.ts'
import { tokenIn } from '#/adapters/files/token-file.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { parseJson } from '#/core/evidence/bundle-json.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { Clock } from '#/ports/clock.ts'
import { writeAnswer } from '#/protocol/answer-body.ts'
import { LIMITS, POLL_MS } from '#/protocol/limits.ts'
import { answerPath, pollPath } from '#/protocol/paths.ts'
import { pollAnswer } from '#/protocol/poll.ts'
import type { PollAnswer, PollRequest } from '#/protocol/poll.ts'
import type { Answer } from './journal-window.ts'

export type DialOptions = {
  readonly server: URL
  readonly node: string
  readonly tokenFile: string
  /** The CA file for the server's certificate; the system's CAs without it. */
  readonly caFile: string | null
  readonly userAgent: string
  readonly clock: Clock
}

/** The connection to the server. The agent dials out: nothing listens on the node. */
export type Line = {
  readonly poll: (request: PollRequest, signal: AbortSignal) => Promise<Polled>
  /** Null: accepted. */
  readonly answer: (id: string, answer: Answer, signal: AbortSignal) => Promise<string | null>
  readonly close: () => Promise<void>
}

export type Polled =
  | { readonly kind: 'polled'; readonly answer: PollAnswer }
  /** `atLeastMs`: retrying sooner is pointless. */
  | { readonly kind: 'failed'; readonly why: string; readonly atLeastMs: number }

const LARGEST_CA_BYTES = 1024 * 1024
const GRACE_MS = 15_000
const ANSWER_MS = 60_000
const SUPERSEDED_MS = 30_000
const REFUSED_MS = 5000
const RATE_MS = 1000
const RATE_TRIES = 5

export function dial(options: DialOptions): Line {
  const { clock, caFile, userAgent, server, node } = options
  let known: { readonly ca: string | null; readonly means: HttpMeans } | null = null
  // Read each time, like the token: both files are rotated while we run.
  const means = async (): Promise<HttpMeans | string> => {
    const ca = caFile === null ? null : await readSmallFile(caFile, LARGEST_CA_BYTES)
    if (ca !== null && ca.kind !== 'read') return `cannot read the CA file ${caFile}`
    const pem = ca === null ? null : ca.text
    if (known === null || known.ca !== pem) {
      void known?.means.dispatchers.close()
      const tls = pem === null ? {} : { ca: pem }
      known = { ca: pem, means: { clock, dispatchers: makeDispatchers({ wayTo: () => null, tls, connections: null }) } }
    }
    return known.means
  }
  const send = async ({ path, body, type, timeoutMs }: Letter, signal: AbortSignal): Promise<HttpAnswer | string> => {
    const token = await tokenIn(options.tokenFile)
    if ('fault' in token) return token.fault
    const way = await means()
    if (typeof way === 'string') return way
    const url = new URL(`${server.pathname.replace(/\/+$/, '')}${path}`, server)
    const headers = { authorization: `Bearer ${token.token}`, 'content-type': type, 'user-agent': userAgent }
    const limits = { timeoutMs, maxBytes: LIMITS.pollAnswerBytes }
    const answer = await exchange(way, { method: 'POST', url, headers, body }, limits, signal)
    return answer.kind === 'answered' ? answer : answer.reason.detail
  }
  return {
    poll: async (request, signal) => {
      const body = JSON.stringify(request)
      const letter = { path: pollPath, body, type: 'application/json', timeoutMs: POLL_MS + GRACE_MS }
      return readPolled(await send(letter, signal))
    },
    answer: async (id, { head, rest }, signal) => {
      const body = writeAnswer(head, rest)
      const letter = { path: answerPath(id, node), body, type: 'application/octet-stream', timeoutMs: ANSWER_MS }
      let sent = await send(letter, signal)
      // The question is still open: the server takes so many answers a second of one agent.
      for (let tries = 0; tries < RATE_TRIES && isTooMany(sent) && !signal.aborted; tries += 1) {
        await clock.sleep(RATE_MS, signal)
        sent = await send(letter, signal)
      }
      if (typeof sent === 'string') return sent
      return sent.status === 204 ? null : refusalIn(sent)
    },
    close: async () => known?.means.dispatchers.close(),
  }
}

function isTooMany(sent: HttpAnswer | string): boolean {
  return typeof sent !== 'string' && sent.status === 429
}

type Letter = {
  readonly path: string
  readonly body: string | Uint8Array
  readonly type: string
  readonly timeoutMs: number
}

function readPolled(sent: HttpAnswer | string): Polled {
  if (typeof sent === 'string') return { kind: 'failed', why: sent, atLeastMs: 0 }
  if (sent.status !== 200) {
    const atLeastMs = sent.status === 409 ? SUPERSEDED_MS : sent.status < 500 ? REFUSED_MS : 0
    return { kind: 'failed', why: refusalIn(sent), atLeastMs }
  }
  const answer = checked(sent, pollAnswer)
  if (answer !== null) return { kind: 'polled', answer }
  return {
    kind: 'failed',
    why: 'malformed answer from the server: do agent and server have the same version?',
    atLeastMs: REFUSED_MS,
  }
}

function checked<S extends z.ZodType>({ body }: HttpAnswer, schema: S): z.output<S> | null {
  const reading = parseJson(body.toString('utf8'))
  const parsed = reading.kind === 'malformed' ? null : schema.safeParse(reading.value)
  return parsed?.success === true ? parsed.data : null
}

const LONGEST_DETAIL = 300

function refusalIn({ status, body }: HttpAnswer): string {
  const reading = parseJson(body.toString('utf8'))
  const detail = reading.kind === 'malformed' ? null : textAt(reading.value, 'detail')
  return `the server answered ${status}${detail === null ? '' : `: ${detail.slice(0, LONGEST_DETAIL)}`}`
}
