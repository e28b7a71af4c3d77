import type { ListRequest, WatchEvent } from '#/ports/kubernetes.ts'
import { makeBackoff } from './backoff.ts'
import { readWhole } from './list.ts'
import type { Position, StreamEnd, StreamMeans } from './watch-stream.ts'
import { watchOnce } from './watch-stream.ts'

export type WatchMeans = StreamMeans & { readonly random: () => number }

/** A server that refuses a position time and again, for whatever reason, is asked for a list. */
const FAILURES_BEFORE_RELIST = 3
/**
 * List, then watch from there; over broken, silent and ended connections from the same position on, and from a new list
 * where the server has forgotten it. Holds the objects that it has told, to tell which ones went unseen.
 */
export async function* watch(
  means: WatchMeans,
  request: ListRequest,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void> {
  const backoff = makeBackoff(means.clock, means.random, means.tuning)
  const position: Position = { resourceVersion: null, known: new Map(), heard: 0 }
  while (!signal.aborted) {
    position.heard = 0
    const end = yield* step(means, request, position, signal)
    if (signal.aborted) return
    if (position.heard > 0) backoff.reset()
    if (end.kind === 'listed' || end.kind === 'ended') continue
    yield { kind: 'blind', reason: end.reason }
    if (end.kind === 'lost' || backoff.failures() >= FAILURES_BEFORE_RELIST) position.resourceVersion = null
    await backoff.wait(end.retryAfterMs, signal)
  }
}

type StepEnd = StreamEnd | { readonly kind: 'listed' }

async function* step(
  means: WatchMeans,
  request: ListRequest,
  position: Position,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, StepEnd> {
  const from = position.resourceVersion
  if (from !== null) return yield* watchOnce(means, { request, from, position }, signal)
  const whole = await readWhole(means, request, signal)
  if (whole.kind !== 'complete') {
    const retryAfterMs = whole.kind === 'declined' ? (whole.retryAfterMs ?? 0) : 0
    return { kind: 'broken', reason: whole.reason, retryAfterMs }
  }
  const { items, resourceVersion } = whole
  const vanished = new Map(position.known)
  position.known.clear()
  for (const item of items) {
    vanished.delete(item.metadata.uid)
    position.known.set(item.metadata.uid, item)
  }
  position.resourceVersion = resourceVersion
  yield { kind: 'listed', items, vanished: [...vanished.values()], resourceVersion }
  return { kind: 'listed' }
}
