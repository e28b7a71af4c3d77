import { formatAmount } from '#/core/kubernetes/quantity.ts'
import type { LaneRoom, Template } from './lane-room.ts'
import { SLOTS } from './lane-room.ts'
import { count, listSome } from './format.ts'

/** The scarcest resource, and what keeps runners off the other nodes. Pod slots are left out: they have their own limiter. */
export function describeRoom(
  room: LaneRoom,
  templates: readonly Template[],
): { readonly resource: string | null; readonly words: readonly string[] } {
  const least = [...room.byResource]
    .filter(([name]) => name !== SLOTS)
    .reduce<readonly [string, number] | null>((best, own) => (best === null || own[1] < best[1] ? own : best), null)
  const resource = room.nodes.length === 0 ? null : (least?.[0] ?? null)
  return {
    resource,
    words: [
      ...(resource === null
        ? []
        : [
            `a runner requests ${[...new Set(templates.map(({ each }) => formatAmount(resource, each.get(resource) ?? 0)))].join(' or ')} ${resource}; by that alone ${least?.[1] ?? 0} more fit`,
          ]),
      ...(room.closed.length === 0
        ? []
        : [
            `${count(room.closed.length, 'node accepts', 'nodes accept')} no pods now: ${listSome(room.closed.map(({ node, why }) => `${node} (${why})`))}`,
          ]),
      ...(room.misfits.length === 0
        ? []
        : [
            `${count(room.misfits.length, 'node does', 'nodes do')} not fit the runner: ${listSome(room.misfits.map(({ node, why }) => `${node} (${why})`))}`,
          ]),
    ],
  }
}
