import type { ListRequest, WatchEvent } from '#/ports/kubernetes.ts'
import { makeBackoff } from './backoff.ts'
import { readWhole } from './list.ts'
import type { Position, StreamEnd, StreamMeans } from './watch-stream.ts'
import { watchOnce } from './watch-stream.ts'

export type WatchMeans = StreamMeans & { readonly random: () => number }

/** A server that fails at a position time and again, for whatever reason, is asked for a list. */
const DOUBTS_BEFORE_RELIST = 3

/**
 * List, then watch from there; over broken, silent and ended connections from the same position on, because a new list
 * would hide what became of the objects in between. From a new list only where the server has forgotten the position,
 * or fails at it again and again. Keeps the objects it has reported, to detect deletions during a gap.
 */
export async function* watch(
  means: WatchMeans,
  request: ListRequest,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void> {
  const backoff = makeBackoff(means.clock, means.random, means.tuning)
  const position: Position = { resourceVersion: null, known: new Map(), received: 0, doubts: 0 }
  while (!signal.aborted) {
    position.received = 0
    const end = yield* step(means, request, position, signal)
    if (signal.aborted) return
    if (position.received > 0) backoff.reset()
    if (position.received > 0 || end.kind === 'ended') position.doubts = 0
    if (end.kind === 'listed' || end.kind === 'ended') continue
    yield { kind: 'blind', reason: end.reason }
    if (end.kind === 'lost') position.resourceVersion = null
    else if (end.doubtful) position.doubts += 1
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
  const from = position.doubts > DOUBTS_BEFORE_RELIST ? null : position.resourceVersion
  if (from !== null) return yield* watchOnce(means, { request, from, position }, signal)
  const whole = await readWhole(means, request, signal)
  if (whole.kind !== 'complete') {
    // The position, if there is one, is as good as before.
    position.doubts = 0
    const retryAfterMs = whole.kind === 'declined' ? (whole.retryAfterMs ?? 0) : 0
    return { kind: 'broken', reason: whole.reason, retryAfterMs, doubtful: false }
  }
  const { items, resourceVersion } = whole
  const vanished = new Map(position.known)
  position.known.clear()
  for (const item of items) {
    vanished.delete(item.metadata.uid)
    position.known.set(item.metadata.uid, item)
  }
  position.resourceVersion = resourceVersion
  // One more watch that fails, and it is a list again: so a server that has no watch for us is asked now and then.
  position.doubts = Math.min(position.doubts, DOUBTS_BEFORE_RELIST)
  yield { kind: 'listed', items, vanished: [...vanished.values()], resourceVersion }
  return { kind: 'listed' }
}
