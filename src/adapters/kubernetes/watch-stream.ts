import { describeFailure } from '#/adapters/http/describe-failure.ts'
import type { Line } from '#/adapters/http/read-lines.ts'
import { readLines } from '#/adapters/http/read-lines.ts'
import { readUntilSilent } from '#/adapters/http/read-until-silent.ts'
import { codeOfStatus } from '#/adapters/http/code-of-status.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import type { ListRequest, WatchEvent } from '#/ports/kubernetes.ts'
import type { KubeObject, Trim } from '#/ports/kubernetes-object.ts'
import { withoutBulk } from '#/ports/kubernetes-object.ts'
import { apiPath } from './api-path.ts'
import { declinedStream } from './declined-stream.ts'
import { isHtml } from './is-html.ts'
import { parseJson } from './parse-json.ts'
import { parseObject } from './parse-object.ts'
import { asRecord, asText } from './record.ts'
import type { Declined } from './reply.ts'
import { parseStatus } from './status.ts'
import type { Transport } from './transport.ts'
import type { Tuning } from './tuning.ts'

export type StreamMeans = { readonly transport: Transport; readonly clock: Clock; readonly tuning: Tuning }

/** Where a watch stands. Changed as events arrive. */
export type Position = {
  /** Null where only a list helps. */
  resourceVersion: string | null
  /** Objects reported and not yet reported as deleted, by UID. */
  readonly known: Map<string, KubeObject>
  /** Events since this was last set to 0. */
  received: number
  /** Failures in a row for which the position itself may be the reason. */
  doubts: number
}

/** Why one connection is over. `ended`: the server closed it in order, and we go on from the same position. */
export type StreamEnd =
  | { readonly kind: 'ended' }
  /** The server has forgotten the position. */
  | { readonly kind: 'lost'; readonly reason: BlindReason; readonly retryAfterMs: number }
  /** `doubtful`: it was the server's own answer to this position, so that another position may fare better. */
  | {
      readonly kind: 'broken'
      readonly reason: BlindReason
      readonly retryAfterMs: number
      readonly doubtful: boolean
    }

export type Watching = { readonly request: ListRequest; readonly from: string; readonly position: Position }

/** A connection that closes sooner without an event was not a watch. */
const SHORTEST_MS = 1000

const LINE_FEED = 10

/** Bytes are no sign of life before they make an event. */
function hasLineEnd(chunk: Uint8Array): boolean {
  return chunk.includes(LINE_FEED)
}

/** One connection, from the position on. */
export async function* watchOnce(
  means: StreamMeans,
  { request, from, position }: Watching,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, StreamEnd> {
  const { transport, clock, tuning } = means
  const path = apiPath(request)
  const what = `WATCH ${path}`
  const query = {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: from,
    timeoutSeconds: String(tuning.watchSeconds),
    labelSelector: request.labelSelector,
    fieldSelector: request.fieldSelector,
  }
  const silence = { clock, silentAfterMs: tuning.silentAfterMs, signal }
  const stream = await transport.open({ method: 'GET', path, query }, signal)
  if (stream.kind === 'blind') return broken(stream.reason)
  try {
    if (stream.status !== 200) return refusal(await declinedStream(stream, what, silence))
    if (isHtml(stream)) return broken(blind('malformed', `${what}: an HTML page, perhaps from a proxy`).reason)
    const openedAt = clock.now()
    yield { kind: 'caught-up', resourceVersion: from }
    const chunks = readUntilSilent(stream.body, silence, hasLineEnd)
    for await (const line of readLines(chunks, tuning.maxEventBytes)) {
      const read = readEvent(line, request.trim ?? withoutBulk, what)
      if (read.kind !== 'event') return read
      position.received += 1
      advance(position, read.event)
      yield read.event
    }
    const wasNone = position.received === 0 && clock.now() - openedAt < SHORTEST_MS
    return wasNone
      ? doubtful(blind('server-error', `${what}: it closed at once without an event`).reason)
      : { kind: 'ended' }
  } catch (error) {
    if (signal.aborted) return { kind: 'ended' }
    return broken(describeFailure(error, what).reason)
  } finally {
    stream.close()
  }
}

/** A server that is overloaded or starting says so whatever the position is. */
const PASSING: ReadonlySet<number> = new Set([401, 429, 503])

function refusal({ http, status, reason, retryAfterMs }: Declined): StreamEnd {
  const read = { reason, retryAfterMs: retryAfterMs ?? 0 }
  if (http === 410) return { kind: 'lost', ...read }
  return { kind: 'broken', ...read, doubtful: status !== null && !PASSING.has(http) }
}

function broken(reason: BlindReason): StreamEnd {
  return { kind: 'broken', reason, retryAfterMs: 0, doubtful: false }
}

function doubtful(reason: BlindReason): StreamEnd {
  return { kind: 'broken', reason, retryAfterMs: 0, doubtful: true }
}

function lost(reason: BlindReason): StreamEnd {
  return { kind: 'lost', reason, retryAfterMs: 0 }
}

function advance(position: Position, event: Received['event']): void {
  if (event.kind === 'caught-up') {
    position.resourceVersion = event.resourceVersion
    return
  }
  const { uid, resourceVersion } = event.object.metadata
  position.resourceVersion = resourceVersion
  if (event.kind === 'deleted') position.known.delete(uid)
  else position.known.set(uid, event.object)
}

type Received = {
  readonly kind: 'event'
  readonly event: Extract<WatchEvent, { readonly kind: 'added' | 'modified' | 'deleted' | 'caught-up' }>
}

const KINDS = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const

function readEvent(line: Line, trim: Trim, what: string): Received | StreamEnd {
  if (line.cut) return lost(blind('too-large', `${what}: an event is larger than is read`).reason)
  const parsed = parseJson(line.text, what)
  if (parsed.kind === 'blind') return doubtful(parsed.reason)
  const { type, object: raw } = parsed.value
  if (type === 'ERROR') return readError(raw, what)
  if (type === 'BOOKMARK') return readBookmark(raw, what)
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') {
    return doubtful(blind('malformed', `${what}: an event of no known type`).reason)
  }
  const object = parseObject(raw)
  if (typeof object === 'string') return doubtful(blind('malformed', `${what}: ${object} has another shape`).reason)
  return { kind: 'event', event: { kind: KINDS[type], object: trim(object) } }
}

function readBookmark(raw: unknown, what: string): Received | StreamEnd {
  const resourceVersion = asText(asRecord(asRecord(raw)?.['metadata'])?.['resourceVersion']) || null
  if (resourceVersion === null) return doubtful(blind('malformed', `${what}: a bookmark without a version`).reason)
  return { kind: 'event', event: { kind: 'caught-up', resourceVersion } }
}

function readError(raw: unknown, what: string): StreamEnd {
  const status = parseStatus(raw)
  if (status === null) return doubtful(blind('malformed', `${what}: an error that is no Status`).reason)
  const { reason } = blind(codeOfStatus(status.code), `${what}: ${status.code} ${status.message}`)
  return status.code === 410 ? lost(reason) : doubtful(reason)
}
