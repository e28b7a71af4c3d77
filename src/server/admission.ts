import type { ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import { sendProblem } from '#/server/request/problem.ts'
import type { Problem } from '#/server/request/problem.ts'
import { responseOf } from '#/server/request/response-of.ts'

export type AdmissionLimits = {
  /** Requests that are worked on at the same time. */
  readonly mostAtOnce: number
  readonly mostWaiting: number
  /** Of answers that their callers have not read yet. */
  readonly mostUnreadBytes: number
}

/** What else this process has to do: the recorder comes before every caller. */
export type ProcessLoad = {
  /** How late this thread is, in milliseconds. */
  readonly lag: () => number
  /** Deaths wait to be recorded. */
  readonly isBehind: () => boolean
}

const BUSY: Problem = {
  status: 429,
  detail: 'too many requests at once',
  advice: ['retry in a second'],
  headers: { 'retry-after': '1' },
}

const STRAINED: Problem = {
  status: 503,
  detail: 'the server is recording deaths, which come before requests',
  advice: ['retry in a few seconds', 'see signalbox_open_deaths in /metrics'],
  headers: { 'retry-after': '3' },
}

/** A thread that is later than this has too much to do. */
const MOST_LAG_MS = 50
/** Then one request at a time, with pauses: callers get a tenth of the time, and the recorder the rest. */
const PAUSE_PER_MS = 9
const LEAST_PAUSE_MS = 20
const MOST_PAUSE_MS = 1000
/** Those who wait hold memory, and would be answered one by one when the strain is over. */
const MOST_WAITING_STRAINED = 8
const LOOK_EVERY_MS = 100

export function watchLag(): () => number {
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
 * or where slow readers hold too much memory, and forgotten where its caller goes. While the process is late, or deaths wait
 * to be recorded, few get a turn.
 */
export function admission(
  { mostAtOnce, mostWaiting, mostUnreadBytes }: AdmissionLimits,
  load: ProcessLoad,
): MiddlewareHandler {
  const unread = new Set<ServerResponse>()
  const isStrained = (): boolean => load.isBehind() || load.lag() > MOST_LAG_MS
  const turns = createTurns(mostAtOnce, mostWaiting, isStrained)
  return async (c, next) => {
    if (countUnread(unread) > mostUnreadBytes) return sendProblem(c, BUSY)
    const turn = await turns.take(c.req.raw.signal)
    if (turn === null) return sendProblem(c, isStrained() ? STRAINED : BUSY)
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

function createTurns(mostAtOnce: number, mostWaiting: number, isStrained: () => boolean) {
  const waiting = new Set<() => void>()
  let underWay = 0
  let isPausing = false
  const isFree = (): boolean => underWay === 0 || (underWay < mostAtOnce && !isStrained())
  const startNext = (): void => {
    const [first] = waiting
    if (first !== undefined && !isPausing && isFree()) first()
  }
  const pause = (ms: number): void => {
    isPausing = true
    setTimeout(() => {
      isPausing = false
      startNext()
    }, ms)
  }
  const begin = (): Turn => {
    const begunAt = performance.now()
    underWay += 1
    const end = (): void => {
      underWay -= 1
      if (!isStrained()) return startNext()
      const earned = (performance.now() - begunAt) * PAUSE_PER_MS
      if (!isPausing) pause(Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, earned)))
    }
    return { end }
  }
  return {
    /** Null where too many wait already, or the caller went. */
    take: (signal: AbortSignal): Promise<Turn | null> => {
      if (signal.aborted) return Promise.resolve(null)
      if (waiting.size === 0 && !isPausing && isFree()) return Promise.resolve(begin())
      if (waiting.size >= (isStrained() ? Math.min(mostWaiting, MOST_WAITING_STRAINED) : mostWaiting)) {
        return Promise.resolve(null)
      }
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
