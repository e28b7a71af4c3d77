import { randomUUID } from 'node:crypto'
import { LIMITS } from '#/protocol/limits.ts'
import type { PollAnswer } from '#/protocol/poll.ts'

/** The pods that each agent may let go of. Kept until the agent has confirmed the list, because an answer to a poll can be lost. */
export type StoredLists = {
  readonly add: (node: string, uid: string) => void
  /** Whether there is more than in this version of the list. */
  readonly hasMoreThan: (node: string, version: string | null) => boolean
  /** `confirmed`: the version that the agent acted on last. Null: there is nothing new. */
  readonly newerThan: (node: string, confirmed: string | null) => PollAnswer['stored']
}

const MOST_NODES = 5000
/** An agent that is away this long has dropped old pods by itself. */
const MOST_PER_NODE = 5000

type Entry = { readonly count: number; readonly uid: string }

export function createStoredLists(): StoredLists {
  const byNode = new Map<string, Entry[]>()
  // After a restart, or on another replica, counting starts again.
  const run = randomUUID()
  let count = 0
  return {
    add: (node, uid) => {
      if (uid === '' || uid.length > LIMITS.nameLength) return
      const own = byNode.get(node) ?? []
      byNode.delete(node)
      byNode.set(node, own)
      count += 1
      own.push({ count, uid })
      if (own.length > MOST_PER_NODE) own.shift()
      const [oldest] = byNode.keys()
      if (byNode.size > MOST_NODES && oldest !== undefined) byNode.delete(oldest)
    },
    hasMoreThan: (node, version) => (byNode.get(node)?.at(-1)?.count ?? 0) > readCount(run, version),
    newerThan: (node, confirmed) => {
      const own = byNode.get(node)
      if (own === undefined) return null
      const done = readCount(run, confirmed)
      const left = own.filter((entry) => entry.count > done)
      if (left.length === 0) byNode.delete(node)
      else if (left.length < own.length) byNode.set(node, left)
      const next = left.slice(0, LIMITS.stored)
      const last = next.at(-1)
      return last === undefined ? null : { version: `${run}/${last.count}`, uids: next.map(({ uid }) => uid) }
    },
  }
}

function readCount(run: string, version: string | null): number {
  const [ofRun, count] = version?.split('/') ?? []
  return ofRun === run ? Number(count) : 0
}
