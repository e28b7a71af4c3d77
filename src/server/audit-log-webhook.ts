import { Hono } from 'hono'
import type { Context, MiddlewareHandler } from 'hono'
import { auditEvents, SCHEMA_VERSION } from './openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import type { Problem } from '#/server/request/problem.ts'
import { readAtMost } from '#/server/request/read-body.ts'

export type AuditLogWebhookOptions = {
  readonly guard: MiddlewareHandler
  /** Returns how many events were kept; null while this replica does not record deaths. */
  readonly take: (events: readonly unknown[]) => number | null
  /** Reads a large body elsewhere; null where it cannot be read. */
  readonly parse?: (body: Uint8Array) => Promise<unknown>
  readonly received: (outcome: { readonly kept: number; readonly passed: number }) => void
}

export const MOST_BODY_BYTES = 16 * 1024 * 1024
/** The API server sends batches in parallel; each is held in memory. */
const MOST_AT_ONCE = 4

/** `/v1/audit`: receives the API server's audit log webhook. */
export function auditLogWebhook({ guard, take, parse = parsed, received }: AuditLogWebhookOptions): Hono {
  const api = new Hono()
  let underWay = 0
  api.use('/', guard)
  api.post('/', async (c) => {
    if (underWay >= MOST_AT_ONCE) return sendProblem(c, BUSY)
    underWay += 1
    try {
      const events = await readEvents(c, parse)
      if ('status' in events) return sendProblem(c, events)
      const kept = take(events)
      if (kept === null) return sendProblem(c, ELSEWHERE)
      received({ kept, passed: events.length - kept })
      return c.json({ schemaVersion: SCHEMA_VERSION, received: events.length, kept })
    } finally {
      underWay -= 1
    }
  })
  api.all('/', (c) => onlyAllows(c, ['POST']))
  return api
}

const BUSY: Problem = {
  status: 429,
  detail: 'too many batches at once',
  advice: ['retry'],
  headers: { 'retry-after': '1' },
}

const ELSEWHERE: Problem = {
  status: 503,
  detail: 'this replica is not recording deaths',
  advice: ['retry: another replica may be recording'],
  headers: { 'retry-after': '5' },
}

const TOO_LARGE: Problem = {
  status: 413,
  detail: `the body is larger than ${MOST_BODY_BYTES} bytes`,
  advice: ['set --audit-webhook-truncate-enabled, or a smaller --audit-webhook-batch-max-size, on the API server'],
}

async function readEvents(
  c: Context,
  parse: (body: Buffer) => Promise<unknown>,
): Promise<readonly unknown[] | Problem> {
  const encoding = c.req.header('content-encoding') ?? 'identity'
  if (encoding !== 'identity') {
    return {
      status: 415,
      detail: `compressed bodies are not supported (${encoding.slice(0, 20)})`,
      advice: ['send the body uncompressed'],
    }
  }
  if (Number(c.req.header('content-length') ?? 0) > MOST_BODY_BYTES) return TOO_LARGE
  const body = await readAtMost(c.req.raw.body, MOST_BODY_BYTES)
  if (body === null) return TOO_LARGE
  const read = auditEvents.safeParse(await parse(body))
  if (read.success) return read.data.items
  const issue = read.error.issues[0]
  return {
    status: 400,
    detail: `not a list of audit log events: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
    advice: ['send an EventList of audit.k8s.io/v1, as an audit webhook does'],
  }
}

async function parsed(body: Uint8Array): Promise<unknown> {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return null
  }
}
