import { Hono } from 'hono'
import type { Context, MiddlewareHandler } from 'hono'
import { isJsonObject, parseJson } from '#/core/evidence/bundle-json.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import { countFailures } from '#/server/access/auth-failures.ts'
import { sendProblem } from '#/server/request/problem.ts'
import { createAgentLimits } from './agent-limits.ts'
import type { Authenticate, Identity } from './authenticate.ts'
import { createIntake } from './intake.ts'
import type { Intake, IntakeRefusal } from './intake.ts'
import { readAnswer } from '#/protocol/answer-body.ts'
import { LIMITS } from '#/protocol/limits.ts'
import { WAYS } from '#/protocol/paths.ts'
import { pollRequest } from '#/protocol/poll.ts'
import type { PollRequest } from '#/protocol/poll.ts'
import { ACCEPTED, PROTOCOL } from '#/protocol/version.ts'
import type { AgentRegistry } from './registry.ts'

export type AgentsApiOptions = {
  readonly registry: AgentRegistry
  readonly authenticate: Authenticate
  readonly peerAddress: (c: Context) => string | null
  readonly clock: Pick<Clock, 'now'>
  /** Ends open polls when the server stops. */
  readonly signal: AbortSignal
  readonly limits?: Partial<ApiLimits>
}

export type ApiLimits = {
  /** The bytes of all answers being received at once. */
  readonly mostBytes: number
  /** The same for one agent. */
  readonly mostBytesPerAgent: number
  /** A body must be there by then. */
  readonly bodyMs: number
}

const MEGABYTE = 1024 * 1024
const DEFAULTS: ApiLimits = { mostBytes: 64 * MEGABYTE, mostBytesPerAgent: 24 * MEGABYTE, bodyMs: 30_000 }

/** `/v1/agent`: agents poll here for questions and post their answers. */
export function agentsApi(options: AgentsApiOptions): Hono {
  const { registry, clock } = options
  const { mostBytes, mostBytesPerAgent, bodyMs } = { ...DEFAULTS, ...options.limits }
  const api = new Hono<{ Variables: { readonly identity: Known } }>()
  const read = createIntake({ inAll: mostBytes, perSender: mostBytesPerAgent })
  const intake: Receive = (c, sender, most) =>
    read(c.req.raw.body, { most, sender, signal: AbortSignal.timeout(bodyMs) })
  const limits = createAgentLimits()
  api.use('*', createGuard(options))
  api.post(WAYS.poll, async (c) => {
    const identity = c.get('identity')
    // Whoever may speak for any node is limited by the node that it names.
    const own = identity.kind === 'of-node' ? identity.node : null
    const leave = own === null ? NOTHING_OPEN : limits.enter(own, 'poll', clock.now())
    if (leave === null) return tooMany(c)
    try {
      const request = await readPoll(c, (most) => intake(c, own ?? '', most))
      if (request instanceof Response) return request
      if (!mayAnswerFor(identity, request.node)) return foreign(c, request.node)
      const leaveNamed = own === null ? limits.enter(request.node, 'poll', clock.now()) : NOTHING_OPEN
      if (leaveNamed === null) return tooMany(c)
      return await takePoll(c, options, request).finally(leaveNamed)
    } finally {
      leave()
    }
  })
  api.post(WAYS.answer, async (c) => {
    const node = c.req.query('node') ?? ''
    if (!mayAnswerFor(c.get('identity'), node)) return foreign(c, node)
    const leave = limits.enter(node, 'answer', clock.now())
    if (leave === null) return tooMany(c)
    try {
      return await takeAnswer(c, { registry, intake }, { node, id: c.req.param('id') })
    } finally {
      leave()
    }
  })
  return api as unknown as Hono
}

type Receive = (c: Context, sender: string, most: number) => ReturnType<Intake>

const NOTHING_OPEN = (): void => {}

async function takePoll(c: Context, { registry, signal }: AgentsApiOptions, request: PollRequest): Promise<Response> {
  const answer = await registry.poll(request, AbortSignal.any([signal, c.req.raw.signal]))
  // An empty answer would make the agent poll again at once, until we have stopped.
  if (signal.aborted) return sendProblem(c, { status: 503, detail: 'this server is stopping' })
  if (answer === 'superseded') return sendProblem(c, { status: 409, detail: `another agent serves ${request.node}` })
  if (answer === 'full') return sendProblem(c, { status: 503, detail: 'too many agents for this server' })
  return c.json(answer)
}

async function takeAnswer(
  c: Context,
  { registry, intake }: { readonly registry: AgentRegistry; readonly intake: Receive },
  { node, id }: { readonly node: string; readonly id: string },
): Promise<Response> {
  if (!registry.isAwaited(node, id)) return sendProblem(c, { status: 410, detail: 'this answer is no longer expected' })
  const body = await intake(c, node, LIMITS.answerBytes)
  if (typeof body === 'string') return refuseAnswer(c, registry, { node, id, why: body })
  const unreadable = blind('malformed', `malformed answer from the agent on ${node}`)
  registry.answer(node, id, readAnswer(body) ?? unreadable)
  return c.body(null, 204)
}

function tooMany(c: Context): Response {
  const headers = { 'retry-after': '1' }
  return sendProblem(c, { status: 429, detail: 'too many requests of this agent', headers })
}

type Known = Exclude<Identity, { kind: 'refused' }>

/** Runs before any body is read. */
function createGuard({
  authenticate,
  peerAddress,
  clock,
}: AgentsApiOptions): MiddlewareHandler<{ Variables: { readonly identity: Known } }> {
  const failures = countFailures()
  return async (c, next) => {
    const peer = peerAddress(c) ?? ''
    const waitMs = failures.waitMs(peer, clock.now())
    const identity = await authenticate(readBearer(c), waitMs > 0)
    if (identity.kind === 'refused' && identity.status !== 503 && waitMs > 0) {
      const headers = { 'retry-after': String(Math.ceil(waitMs / 1000)) }
      return sendProblem(c, { status: 429, detail: 'too many wrong tokens from this address', headers })
    }
    if (identity.kind === 'refused') {
      if (identity.status === 401) failures.add(peer, clock.now())
      return sendProblem(c, { status: identity.status, detail: identity.why })
    }
    c.set('identity', identity)
    return next()
  }
}

function refuseAnswer(
  c: Context,
  registry: AgentRegistry,
  { node, id, why }: { readonly node: string; readonly id: string; readonly why: IntakeRefusal },
): Response {
  if (why === 'too-large') {
    registry.answer(
      node,
      id,
      blind('too-large', `the answer from the agent on ${node} is larger than ${LIMITS.answerBytes} bytes`),
    )
    return sendProblem(c, { status: 413, detail: 'the answer is too large' })
  }
  if (why === 'busy') {
    registry.answer(node, id, blind('refused-by-limits', `too many answers at once; the one from ${node} was refused`))
    return sendProblem(c, { status: 503, detail: 'too many answers at once' })
  }
  if (why === 'slow') {
    registry.answer(node, id, blind('timeout', `the answer from the agent on ${node} came too slowly`))
    return sendProblem(c, { status: 408, detail: 'the answer came too slowly', headers: { connection: 'close' } })
  }
  registry.answer(node, id, blind('truncated', `the answer from the agent on ${node} was cut off`))
  return sendProblem(c, { status: 400, detail: 'the answer was cut off' })
}

function readBearer(c: Context): string | null {
  return /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null
}

function mayAnswerFor(identity: Known, node: string): boolean {
  return identity.kind === 'any-node' ? node !== '' : identity.node === node
}

function foreign(c: Context, node: string): Response {
  return sendProblem(c, { status: 403, detail: `this agent does not run on ${node}` })
}

async function readPoll(c: Context, read: (most: number) => ReturnType<Intake>): Promise<PollRequest | Response> {
  const body = await read(LIMITS.pollBytes)
  if (typeof body === 'string') return sendProblem(c, { status: 413, detail: 'the poll is too large or was cut off' })
  const reading = parseJson(body.toString('utf8'))
  const checked = reading.kind === 'malformed' ? null : pollRequest.safeParse(reading.value)
  if (checked?.success === true) return checked.data
  const protocol = reading.kind !== 'malformed' && isJsonObject(reading.value) ? reading.value['protocol'] : null
  const detail =
    typeof protocol === 'number' && !ACCEPTED.some((one) => one === protocol)
      ? `the agent uses protocol ${protocol}, this server protocol ${PROTOCOL}: run the same version of both`
      : 'malformed poll: do agent and server have the same version?'
  return sendProblem(c, { status: 400, detail })
}
