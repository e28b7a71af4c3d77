import { blind } from '#/core/basics/observed.ts'
import type { Blind } from '#/core/basics/observed.ts'
import type { RawAnswer } from '#/protocol/answer-body.ts'
import type { Question } from '#/protocol/poll.ts'

/** One run of an agent, as the server knows it. */
export type Session = {
  readonly node: string
  readonly id: string
  /** Not fetched yet. */
  readonly waiting: Map<string, Question>
  /** Not answered yet, fetched or not. */
  readonly pending: Map<string, (answer: RawAnswer | Blind) => void>
  /** Ends the open poll. */
  wake: () => void
  /** The current poll: after a broken connection the agent opens another. */
  poll: number | null
  polls: number
  leftAt: number
}

export function newSession(node: string, id: string, now: number): Session {
  const waiting = new Map<string, Question>()
  const pending = new Map<string, (answer: RawAnswer | Blind) => void>()
  return { node, id, waiting, pending, wake: () => {}, poll: null, polls: 0, leftAt: now }
}

/** Between two polls an agent still counts as connected. */
export const AWAY_MS = 5000

export function isAway({ poll, leftAt }: Session, now: number): boolean {
  return poll === null && now - leftAt >= AWAY_MS
}

export function awayReason({ node, leftAt }: Session): Blind {
  return blind('unreachable', `the agent on ${node} has been disconnected since ${new Date(leftAt).toISOString()}`)
}

export function failAll(session: Session, reason: Blind): void {
  const waiters = [...session.pending.values()]
  session.pending.clear()
  session.waiting.clear()
  for (const settle of waiters) settle(reason)
}
