import { randomUUID } from 'node:crypto'
import type { WatchedPod } from '#/ports/node-agents.ts'
import { LIMITS } from '#/protocol/limits.ts'
import { validContainers } from '#/protocol/poll.ts'
import type { PollAnswer } from '#/protocol/poll.ts'

type WatchList = NonNullable<PollAnswer['watch']>

/** The pods that each agent watches, versioned so that a list is sent only when it changed. */
export function createWatchLists() {
  const lists = new Map<string, { readonly list: WatchList; readonly printed: string }>()
  // After a restart, or on another replica, counting starts again.
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
    /** Returns the nodes whose lists changed; only nodes with an agent count. */
    replace: (pods: Iterable<WatchedPod>, hasAgent: (node: string) => boolean): readonly string[] => {
      const byNode = new Map<string, WatchList['pods']>([...lists.keys()].map((node) => [node, []]))
      const room = new Map<string, number>()
      for (const { node, uid, containers } of pods) {
        if (!hasAgent(node)) continue
        const own = byNode.get(node) ?? []
        byNode.set(node, own)
        if (own.length >= LIMITS.watchedPods) continue
        const left = room.get(node) ?? LIMITS.watchedContainers
        const valid = validContainers(containers, left)
        room.set(node, left - valid.length)
        own.push({ uid, containers: valid })
      }
      return [...byNode].flatMap(([node, own]) => (put(node, own) ? [node] : []))
    },
    /** Null if the agent already has this version. */
    newerThan: (node: string, version: string | null): WatchList | null => {
      const list = lists.get(node)?.list
      return list === undefined || list.version === version ? null : list
    },
    of: (node: string): WatchList['pods'] => lists.get(node)?.list.pods ?? [],
    forget: (node: string): void => void lists.delete(node),
  }
}
