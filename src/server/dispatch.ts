import { Hono } from 'hono'
import type { Context } from 'hono'
import { z } from 'zod'
import type { DispatchAnswer, DispatchReason, DispatchRefusal } from '#/runtime/dispatch/answer.ts'
import type { Dispatch } from '#/runtime/dispatch/dispatch.ts'
import { bearerIn } from '#/server/access/auth.ts'
import { responseOf } from '#/server/request/response-of.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import type { Problem } from '#/server/request/problem.ts'
import { readAtMost } from '#/server/request/read-body.ts'
import { readQuery } from '#/server/request/read-query.ts'

export type DispatchApiOptions = {
  readonly ask: Dispatch['ask']
  /** Each answer that somebody reads. */
  readonly answered: (reason: 'job' | 'no-job' | DispatchReason) => void
}

const LONGEST_WAIT_S = 25
/** Nothing in it is read. */
const MOST_BODY_BYTES = 1024
const DEFAULT_RETRY_S = 5
const LONGEST_RETRY_S = 60

const query = z.strictObject({
  wait: z.coerce.number().int().min(0).max(LONGEST_WAIT_S).prefault(LONGEST_WAIT_S),
})

/** `/v1/dispatch`: a pod waits here for its job. docs/dispatch.md */
export function dispatchApi({ ask, answered }: DispatchApiOptions): Hono {
  const api = new Hono()
  api.post('/', async (c) => {
    const asked = readQuery(c, query)
    if ('status' in asked) return sendProblem(c, asked)
    if (!(await isSmall(c))) return sendProblem(c, TOO_LARGE)
    const token = bearerIn(c.req.header('authorization'))
    const answer = await ask(token, { forMs: asked.wait * 1000, signal: goneSignal(c) })
    if (answer.kind !== 'left') answered(answer.kind === 'refused' ? answer.reason : answer.kind)
    return send(c, answer)
  })
  api.all('/', (c) => onlyAllows(c, ['POST']))
  return api
}

function send(c: Context, answer: DispatchAnswer): Response {
  switch (answer.kind) {
    case 'job': {
      const { slot, runner, jit } = answer
      return c.json({ slot, runner: { id: runner.id, name: runner.name }, jit: jit.reveal() })
    }
    case 'no-job':
      return c.body(null, 204)
    case 'left':
      return c.body(null, 408)
    case 'refused':
      return sendProblem(c, refused(answer))
  }
}

/** A body of a known size is not read: the streams of thousands of requests that wait would be most of their memory. */
async function isSmall(c: Context): Promise<boolean> {
  if (c.req.header('transfer-encoding') !== undefined) {
    return (await readAtMost(c.req.raw.body, MOST_BODY_BYTES)) !== null
  }
  return Number(c.req.header('content-length') ?? 0) <= MOST_BODY_BYTES
}

/** Without the signal of the request, which would bring its streams along. */
function goneSignal(c: Context): AbortSignal {
  const response = responseOf(c)
  if (response === null) return c.req.raw.signal
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}

const STATUS = {
  'token-invalid': 401,
  'pod-gone': 410,
  drained: 410,
  'stale-template': 410,
  committed: 410,
  busy: 429,
  'breaker-open': 503,
  'github-unavailable': 503,
  'store-unavailable': 503,
  'cluster-unavailable': 503,
} as const satisfies Readonly<Record<DispatchReason, number>>

function refused({ reason, detail, retryAfterMs }: DispatchRefusal): Problem {
  const status = STATUS[reason]
  const problem = { status, reason, detail }
  if (status === 401) return { ...problem, headers: { 'www-authenticate': 'Bearer' } }
  if (status === 410) return { ...problem, advice: ['end this pod: its pool replaces it'] }
  const seconds = retryAfterMs === undefined ? DEFAULT_RETRY_S : Math.ceil(retryAfterMs / 1000)
  return { ...problem, headers: { 'retry-after': String(Math.min(LONGEST_RETRY_S, Math.max(1, seconds))) } }
}

const TOO_LARGE: Problem = { status: 413, detail: `the body is larger than ${MOST_BODY_BYTES} bytes` }
