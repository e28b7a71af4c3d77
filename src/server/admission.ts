import type { ServerResponse } from 'node:http'
import type { Context, MiddlewareHandler } from 'hono'
import { sendProblem } from './problem.ts'
import type { Problem } from './problem.ts'

export type AdmissionLimits = {
  /** Requests that are worked on at the same time. */
  readonly mostAtOnce: number
  readonly mostWaiting: number
  /** Of answers that their callers have not read yet. */
  readonly mostUnreadBytes: number
}

const BUSY: Problem = {
  status: 429,
  detail: 'too many requests at once',
  advice: ['retry in a second'],
  headers: { 'retry-after': '1' },
}

/** A thread that is later than this has too much to do: then one request at a time, with pauses. */
const MOST_LAG_MS = 50
const PAUSE_MS = 20
const LOOK_EVERY_MS = 100

/** How late this thread is, in milliseconds. */
function watchLag(): () => number {
  let lag = 0
  let expected = performance.now() + LOOK_EVERY_MS
  const timer = setInterval(() => {
    const now = performance.now()
    lag = Math.max(0, now - expected)
    expected = now + LOOK_EVERY_MS
  }, LOOK_EVERY_MS)
  timer.unref()
  return () => lag
}

/**
 * Bounds what all callers together can cost. A request over the bound waits for its turn; it is refused where too many wait,
 * or where slow readers hold too much memory, and forgotten where its caller goes.
 */
export function admission(
  { mostAtOnce, mostWaiting, mostUnreadBytes }: AdmissionLimits,
  lag: () => number = watchLag(),
): MiddlewareHandler {
  const unread = new Set<ServerResponse>()
  const turns = createTurns(mostAtOnce, mostWaiting, lag)
  return async (c, next) => {
    if (countUnread(unread) > mostUnreadBytes) return sendProblem(c, BUSY)
    const turn = await turns.take(c.req.raw.signal)
    if (turn === null) return sendProblem(c, BUSY)
    const response = responseOf(c)
    if (response !== null) {
      unread.add(response)
      response.once('close', () => unread.delete(response))
    }
    try {
      return await next()
    } finally {
      turn.end()
    }
  }
}

type Turn = { readonly end: () => void }

function createTurns(mostAtOnce: number, mostWaiting: number, lag: () => number) {
  const waiting = new Set<() => void>()
  let underWay = 0
  const isFree = (): boolean => underWay < (lag() > MOST_LAG_MS ? 1 : mostAtOnce)
  const startNext = (): void => {
    const [first] = waiting
    if (first !== undefined && isFree()) first()
  }
  const end = (): void => {
    underWay -= 1
    // The recorder shares this thread, and its turn comes first.
    if (lag() > MOST_LAG_MS) setTimeout(startNext, PAUSE_MS)
    else startNext()
  }
  const begin = (): Turn => {
    underWay += 1
    return { end }
  }
  return {
    /** Null where too many wait already, or the caller went. */
    take: (signal: AbortSignal): Promise<Turn | null> => {
      if (signal.aborted) return Promise.resolve(null)
      if (waiting.size === 0 && isFree()) return Promise.resolve(begin())
      if (waiting.size >= mostWaiting) return Promise.resolve(null)
      return new Promise((resolve) => {
        const start = (): void => {
          waiting.delete(start)
          signal.removeEventListener('abort', leave)
          resolve(begin())
          // More may be free again after a time in which only one was.
          startNext()
        }
        const leave = (): void => {
          waiting.delete(start)
          resolve(null)
        }
        waiting.add(start)
        signal.addEventListener('abort', leave, { once: true })
      })
    },
  }
}

function countUnread(responses: ReadonlySet<ServerResponse>): number {
  let bytes = 0
  for (const { writableLength, socket } of responses) bytes += Math.max(writableLength, socket?.writableLength ?? 0)
  return bytes
}

/** Null in a test without a connection. */
function responseOf(c: Context): ServerResponse | null {
  const env: unknown = c.env
  if (typeof env !== 'object' || env === null || !('outgoing' in env)) return null
  return env.outgoing as ServerResponse
}
