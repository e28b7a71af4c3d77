import { blind } from '#/core/basics/observed.ts'
import type { Blind } from '#/core/basics/observed.ts'
import type { RawAnswer } from '#/protocol/answer-body.ts'
import type { Question } from '#/protocol/poll.ts'
import type { JournalBursts } from './journal-bursts.ts'

/** One run of an agent, as the server knows it. */
export type Session = {
  readonly node: string
  readonly id: string
  /** Not fetched yet. */
  readonly waiting: Map<string, Question>
  /** Not answered yet, fetched or not. */
  readonly pending: Map<string, Pending>
  /** Ends the open poll. */
  wake: () => void
  /** The current poll: after a broken connection the agent opens another. */
  poll: number | null
  polls: number
  leftAt: number
  /** One read for all deaths of a burst. */
  journal: JournalBursts
  /** The version of the list of stored pods that was sent last; it may be lost, or not acted on yet. */
  storedSent: string | null
  /** Why it cannot be asked for processes; null if it can. */
  processes: Blind | null
  /** Files of the machine: 50 deaths in a second need one look at its disks. */
  files: { readonly askedAt: number; readonly answer: Promise<RawAnswer | Blind> } | null
}

/** Somebody waits for the answer. */
export type Pending = {
  readonly settle: (answer: RawAnswer | Blind) => void
  /** The agent has it: from now on it has its time. */
  readonly taken: () => void
}

export function newSession(node: string, id: string, now: number): Session {
  const journal: JournalBursts = async () => blind('not-asked', `no agent serves ${node}`)
  const open = { waiting: new Map<string, Question>(), pending: new Map<string, Pending>() }
  return {
    node,
    id,
    ...open,
    wake: () => {},
    poll: null,
    polls: 0,
    leftAt: now,
    journal,
    storedSent: null,
    processes: null,
    files: null,
  }
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
  for (const { settle } of waiters) settle(reason)
}
