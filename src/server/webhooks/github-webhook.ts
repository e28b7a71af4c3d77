import { Hono } from 'hono'
import type { Context } from 'hono'
import { readDelivery } from '#/core/webhooks/read-delivery.ts'
import type { Clock } from '#/ports/clock.ts'
import { MAX_DELIVERY_BYTES } from '#/ports/store/deliveries.ts'
import type { Deliveries, Delivery } from '#/ports/store/deliveries.ts'
import { SCHEMA_VERSION } from '#/server/openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/request/problem.ts'
import { bodyRoom } from './body-room.ts'
import type { BodyRoom, RoomLimits } from './body-room.ts'
import { receiveBody } from './receive-body.ts'
import { PROBLEMS } from './refusals.ts'
import type { Refusal } from './refusals.ts'

export type GitHubWebhookOptions = {
  /** Whether GitHub signed these bytes. */
  readonly isSigned: (body: Uint8Array, signature: string) => boolean
  readonly record: Deliveries['record']
  readonly clock: Pick<Clock, 'now'>
  /** A delivery was stored, and waits to be applied. */
  readonly stored: () => void
  /** What was not stored as new. */
  readonly counted: (outcome: (typeof NOT_STORED)[number]) => void
  readonly storeFailed: (why: string) => void
  readonly limits?: RoomLimits
}

/** `other-event`: not a workflow_job, which is accepted and not kept. */
export const NOT_STORED = [
  'malformed',
  'bad-signature',
  'too-large',
  'busy',
  'store-unavailable',
  'duplicate',
  'other-event',
] as const satisfies readonly (Refusal['reason'] | 'duplicate' | 'other-event')[]

const LIMITS: RoomLimits = { bodies: 256, bytes: 4 * MAX_DELIVERY_BYTES }
/** A GUID, but nobody has promised that. */
const GUID = /^[\w-]{1,100}$/u
const EVENT = /^[a-z_]{1,100}$/u

/** `/webhooks/github`: checks the signature, stores, answers. What it means is decided after the answer. */
export function githubWebhook(options: GitHubWebhookOptions): Hono {
  const room = bodyRoom(options.limits ?? LIMITS)
  const api = new Hono()
  api.post('/', async (c) => {
    const taken = await take(c, room, options)
    if (taken.kind === 'refused') {
      options.counted(taken.reason)
      return sendProblem(c, { ...PROBLEMS[taken.reason], reason: taken.reason, ...taken.more })
    }
    if (taken.kind === 'new' || taken.kind === 'again') options.stored()
    else options.counted(taken.kind === 'repeated' ? 'duplicate' : 'other-event')
    return c.json({ schemaVersion: SCHEMA_VERSION, delivery: taken.guid, stored: taken.kind }, 202)
  })
  api.all('/', (c) => onlyAllows(c, ['POST']))
  return api
}

type Taken =
  | ({ readonly kind: 'refused' } & Refusal)
  | { readonly kind: 'new' | 'again' | 'repeated' | 'other-event'; readonly guid: string }

async function take(c: Context, room: BodyRoom, options: GitHubWebhookOptions): Promise<Taken> {
  const guid = c.req.header('x-github-delivery') ?? ''
  const event = c.req.header('x-github-event') ?? ''
  const signature = c.req.header('x-hub-signature-256')
  if (!GUID.test(guid)) return malformed('the header X-GitHub-Delivery is missing or no GUID')
  if (!EVENT.test(event)) return malformed('the header X-GitHub-Event is missing or no name of an event')
  if (signature === undefined) return refused('bad-signature')
  if (Number(c.req.header('content-length') ?? 0) > MAX_DELIVERY_BYTES) return refused('too-large')
  const place = room.enter()
  try {
    const received = await receiveBody(c.req.raw.body, MAX_DELIVERY_BYTES, place)
    if (received.kind === 'too-large') return refused('too-large')
    if (received.kind === 'evicted') return refused('busy')
    if (!options.isSigned(received.bytes, signature)) return refused('bad-signature')
    const read = toDelivery(received.bytes, { guid, event, receivedAt: options.clock.now() })
    return 'kind' in read ? read : await store(read, options)
  } finally {
    place.leave()
  }
}

/** Read before it is stored only as far as needed to keep the order of its job, and so that GitHub shows what is wrong. */
function toDelivery(bytes: Buffer, about: Pick<Delivery, 'guid' | 'event' | 'receivedAt'>): Delivery | Taken {
  const body = decode(bytes)
  const payload = body === null ? undefined : parse(body)
  if (body === null || payload === undefined)
    return malformed('the body is not JSON: set the content type application/json')
  const reading = readDelivery(about.event, payload)
  if (reading.kind === 'malformed') return malformed(reading.why)
  if (reading.kind === 'other-event') return { kind: 'other-event', guid: about.guid }
  return { ...about, job: reading.job.id, repository: reading.job.repository, body }
}

async function store(delivery: Delivery, { record, storeFailed }: GitHubWebhookOptions): Promise<Taken> {
  try {
    const kind = await record(delivery)
    return kind === 'too-large' ? refused(kind) : { kind, guid: delivery.guid }
  } catch (error) {
    storeFailed(error instanceof Error ? error.message : String(error))
    return refused('store-unavailable')
  }
}

function refused(reason: Refusal['reason']): Taken {
  return { kind: 'refused', reason }
}

function malformed(detail: string): Taken {
  return { kind: 'refused', reason: 'malformed', more: { detail } }
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** No JSON text means undefined. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}
