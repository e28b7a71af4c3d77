import type { ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import { callerKey } from './access/caller.ts'
import { CallerTurns } from './caller-turns.ts'
import type { TurnLimits } from './caller-turns.ts'
import { sendProblem } from '#/server/request/problem.ts'
import type { Problem } from '#/server/request/problem.ts'
import { responseOf } from '#/server/request/response-of.ts'

export type AdmissionLimits = TurnLimits & {
  /** Of answers that their callers have not read yet: of all callers, and of one. */
  readonly mostUnreadBytes: number
  readonly mostUnreadBytesOfCaller: number
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
 * Bounds what callers can cost, together and each. A request over the bound waits for its turn; it is refused where too many
 * wait, or where slow readers hold too much memory, and forgotten where its caller goes. While the process is late, or deaths
 * wait to be recorded, few get a turn. Comes after the guard, which knows the caller.
 */
export function admission(limits: AdmissionLimits, load: ProcessLoad): MiddlewareHandler {
  const unread = new Map<ServerResponse, string>()
  const isStrained = (): boolean => load.isBehind() || load.lag() > MOST_LAG_MS
  const turns = new CallerTurns(limits, isStrained)
  return async (c, next) => {
    const caller = callerKey(c)
    const { all, own } = countUnread(unread, caller)
    if (all > limits.mostUnreadBytes || own > limits.mostUnreadBytesOfCaller) return sendProblem(c, BUSY)
    const turn = await turns.take(caller, c.req.raw.signal)
    if (typeof turn === 'string') return sendProblem(c, isStrained() ? STRAINED : BUSY)
    const response = responseOf(c)
    if (response !== null) {
      unread.set(response, caller)
      response.once('close', () => unread.delete(response))
    }
    try {
      return await next()
    } finally {
      turn.end()
    }
  }
}

function countUnread(responses: ReadonlyMap<ServerResponse, string>, caller: string) {
  let [all, own] = [0, 0]
  for (const [{ writableLength, socket }, reader] of responses) {
    const bytes = Math.max(writableLength, socket?.writableLength ?? 0)
    all += bytes
    own += reader === caller ? bytes : 0
  }
  return { all, own }
}
