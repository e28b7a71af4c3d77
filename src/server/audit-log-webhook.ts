import { Hono } from 'hono'
import type { Context, MiddlewareHandler } from 'hono'
import { auditEvents, SCHEMA_VERSION } from './openapi-schemas.ts'
import { onlyAllows, tellProblem } from './problem.ts'
import type { Problem } from './problem.ts'

export type AuditLogWebhookOptions = {
  readonly guard: MiddlewareHandler
  /** How many of them are kept; null while nobody records deaths here. */
  readonly take: (events: readonly unknown[]) => number | null
  readonly received: (outcome: { readonly kept: number; readonly passed: number }) => void
}

export const MOST_BODY_BYTES = 16 * 1024 * 1024
/** The API server sends batches side by side; each is held in memory as a whole. */
const MOST_AT_ONCE = 4

/** `/v1/audit`: where the audit webhook of an API server sends its events. */
export function auditLogWebhook({ guard, take, received }: AuditLogWebhookOptions): Hono {
  const api = new Hono()
  let underWay = 0
  api.use('/', guard)
  api.post('/', async (c) => {
    if (underWay >= MOST_AT_ONCE) return tellProblem(c, BUSY)
    underWay += 1
    try {
      const events = await readEvents(c)
      if ('status' in events) return tellProblem(c, events)
      const kept = take(events)
      if (kept === null) return tellProblem(c, ELSEWHERE)
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
  advice: ['send again'],
  headers: { 'retry-after': '1' },
}

const ELSEWHERE: Problem = {
  status: 503,
  detail: 'this replica does not record deaths now',
  advice: ['send again: another one may answer'],
  headers: { 'retry-after': '5' },
}

const TOO_LARGE: Problem = {
  status: 413,
  detail: `the body is larger than ${MOST_BODY_BYTES} bytes`,
  advice: ['set --audit-webhook-truncate-enabled, or a smaller --audit-webhook-batch-max-size, on the API server'],
}

async function readEvents(c: Context): Promise<readonly unknown[] | Problem> {
  const encoding = c.req.header('content-encoding') ?? 'identity'
  if (encoding !== 'identity') {
    return { status: 415, detail: `the body is encoded (${encoding.slice(0, 20)})`, advice: ['send it as it is'] }
  }
  if (Number(c.req.header('content-length') ?? 0) > MOST_BODY_BYTES) return TOO_LARGE
  const body = await readAtMost(c.req.raw.body, MOST_BODY_BYTES)
  if (body === null) return TOO_LARGE
  const read = auditEvents.safeParse(parsed(body))
  if (read.success) return read.data.items
  const issue = read.error.issues[0]
  return {
    status: 400,
    detail: `it is no list of audit events: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
    advice: ['send an EventList of audit.k8s.io/v1, as an audit webhook does'],
  }
}

async function readAtMost(source: ReadableStream<Uint8Array> | null, most: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source ?? []) {
    bytes += chunk.byteLength
    if (bytes > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
