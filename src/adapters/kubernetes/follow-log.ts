import { describeFailure } from '#/adapters/http/describe-failure.ts'
import type { Line } from '#/adapters/http/read-lines.ts'
import { readLines } from '#/adapters/http/read-lines.ts'
import { isSilence, readUntilSilent } from '#/adapters/http/read-until-silent.ts'
import type { LogEvent, LogRequest } from '#/ports/kubernetes.ts'
import { makeBackoff } from './backoff.ts'
import type { LogRefusal } from './log-refusal.ts'
import { isLog, readLogRefusal, removedReason, saysRemoved } from './log-refusal.ts'
import { logCall } from './log-request.ts'
import type { LogMeans } from './log-tail.ts'

export type FollowMeans = LogMeans & { readonly random: () => number }

/** A follower's position: the time of the last line it delivered. */
type Place = { last: string | null; delivered: number }

type FollowEnd =
  /** In order: the container has ended, or a node or a proxy on the way went. */
  | { readonly kind: 'closed' }
  /** No output for a long time, or a dead connection: only a new connection can show which. */
  | { readonly kind: 'quiet' }
  | LogRefusal

export async function* followLog(
  means: FollowMeans,
  request: LogRequest,
  signal: AbortSignal,
): AsyncGenerator<LogEvent, void> {
  const backoff = makeBackoff(means.clock, means.random, means.tuning)
  const place: Place = { last: null, delivered: 0 }
  let closedBefore = false
  while (!signal.aborted) {
    place.delivered = 0
    const end = yield* followOnce(means, request, place, signal)
    if (signal.aborted) return
    if (end.kind === 'blind') yield { kind: 'blind', reason: end.reason }
    const why = ending(end, closedBefore && place.delivered === 0)
    if (why !== null) {
      yield { kind: 'ended', why }
      return
    }
    if (place.delivered > 0) backoff.reset()
    closedBefore = end.kind === 'closed'
    if (end.kind === 'quiet' || (closedBefore && place.delivered > 0)) continue
    await backoff.wait(0, signal)
  }
}

/** Closed twice in a row without a line between: a running container would have kept the second one open. */
function ending(end: FollowEnd, closedInVain: boolean): 'pod-gone' | 'container-ended' | null {
  if (end.kind === 'pod-gone') return 'pod-gone'
  const removed = end.kind === 'blind' && end.reason.code === 'expired'
  return removed || (end.kind === 'closed' && closedInVain) ? 'container-ended' : null
}

async function* followOnce(
  { transport, clock, tuning }: FollowMeans,
  request: LogRequest,
  place: Place,
  signal: AbortSignal,
): AsyncGenerator<LogEvent, FollowEnd> {
  const call = logCall(request, { follow: true, ...(place.last === null ? {} : { sinceTime: place.last }) })
  const what = `FOLLOW ${call.path} (${request.container})`
  const silence = { clock, silentAfterMs: tuning.reopenQuietLogMs, signal }
  const repeated = makeRepetition(place.last)
  const stream = await transport.open(call, signal)
  if (stream.kind === 'blind') return { kind: 'blind', reason: stream.reason }
  try {
    if (!isLog(stream)) return await readLogRefusal(stream, what, silence)
    for await (const line of readLines(readUntilSilent(stream.body, silence), tuning.maxLogLineBytes)) {
      if (saysRemoved(line.text)) return { kind: 'blind', reason: removedReason(what) }
      const event = readLogLine(line)
      if (repeated(event.at)) continue
      place.last = event.at || place.last
      place.delivered += 1
      yield event
    }
    return { kind: 'closed' }
  } catch (error) {
    if (signal.aborted) return { kind: 'closed' }
    if (isSilence(error)) return { kind: 'quiet' }
    return { kind: 'blind', reason: describeFailure(error, what).reason }
  } finally {
    stream.close()
  }
}

/**
 * The server rounds the time down to a second, so a new connection starts with lines already delivered. After those every
 * line is new, also one with an earlier time: a node's clock can be set back.
 */
function makeRepetition(last: string | null): (at: string) => boolean {
  let isOver = last === null
  return (at) => {
    isOver ||= at > (last ?? '')
    return !isOver && at !== ''
  }
}

const TIMED = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) (.*)$/su

function readLogLine({ text, cut }: Line): Extract<LogEvent, { readonly kind: 'line' }> {
  const [, at = '', said = text] = TIMED.exec(text) ?? []
  return { kind: 'line', at, text: said, cut }
}
