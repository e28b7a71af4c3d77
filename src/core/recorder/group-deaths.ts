import type { Death } from './death.ts'

export const GROUPINGS = ['cause', 'node', 'pool', 'repository', 'actor'] as const
export type Grouping = (typeof GROUPINGS)[number]

export type DeathGroup = {
  /** Null where it is not known. */
  readonly name: string | null
  readonly count: number
  /** Of all deaths, from 0 to 1. */
  readonly share: number
  readonly lastDiedAt: number
}

/** Counts deaths one by one, so that none has to stay in memory. */
export function countDeaths(by: Grouping): {
  readonly add: (death: Pick<Death, Grouping | 'diedAt'>) => void
  /** The largest group first, then the latest. */
  readonly groups: () => readonly DeathGroup[]
} {
  const counted = new Map<string | null, { count: number; lastDiedAt: number }>()
  let total = 0
  return {
    add: (death) => {
      const name = death[by]
      const group = counted.get(name) ?? { count: 0, lastDiedAt: death.diedAt }
      counted.set(name, { count: group.count + 1, lastDiedAt: Math.max(group.lastDiedAt, death.diedAt) })
      total += 1
    },
    groups: () =>
      [...counted]
        .map(([name, { count, lastDiedAt }]) => ({ name, count, share: count / total, lastDiedAt }))
        .sort((a, b) => b.count - a.count || b.lastDiedAt - a.lastDiedAt),
  }
}
