import { randomUUID } from 'node:crypto'
import type { WatchedPod } from '#/ports/node-agents.ts'
import { LIMITS } from '#/protocol/limits.ts'
import { containersTold } from '#/protocol/poll.ts'
import type { PollAnswer } from '#/protocol/poll.ts'

type WatchList = NonNullable<PollAnswer['watch']>

/** Which pods each agent keeps at hand, in versions, so that a list is sent only when it has changed. */
export function createWatchLists() {
  const lists = new Map<string, { readonly list: WatchList; readonly printed: string }>()
  // Another server, or this one after a restart, counts from the beginning.
  const run = randomUUID()
  let count = 0
  const put = (node: string, pods: WatchList['pods']): boolean => {
    const printed = JSON.stringify(pods)
    const known = lists.get(node)
    if (known?.printed === printed || (known === undefined && pods.length === 0)) return false
    count += 1
    lists.set(node, { list: { version: `${run}/${count}`, pods }, printed })
    return true
  }
  return {
    /** Gives the nodes whose lists have changed. Only those with an agent are looked at. */
    replace: (pods: Iterable<WatchedPod>, hasAgent: (node: string) => boolean): readonly string[] => {
      const byNode = new Map<string, WatchList['pods']>([...lists.keys()].map((node) => [node, []]))
      const room = new Map<string, number>()
      for (const { node, uid, containers } of pods) {
        if (!hasAgent(node)) continue
        const own = byNode.get(node) ?? []
        byNode.set(node, own)
        if (own.length >= LIMITS.watchedPods) continue
        const left = room.get(node) ?? LIMITS.watchedContainers
        const told = containersTold(containers, left)
        room.set(node, left - told.length)
        own.push({ uid, containers: told })
      }
      return [...byNode].flatMap(([node, own]) => (put(node, own) ? [node] : []))
    },
    /** Null where the agent has it already. */
    newerThan: (node: string, version: string | null): WatchList | null => {
      const list = lists.get(node)?.list
      return list === undefined || list.version === version ? null : list
    },
    forget: (node: string): void => void lists.delete(node),
  }
}
