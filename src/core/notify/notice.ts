import type { Death } from '#/core/recorder/death.ts'
import type { Shared } from '#/core/notify/grouping.ts'

/** One message of a channel. */
export type Notice = {
  /** The same for each attempt. */
  readonly id: string
  readonly issuedAt: number
  /** Since when the first of its deaths waits. */
  readonly since: number
  readonly about: About | null
  /** Deaths that are only counted. */
  readonly more: Counted | null
  readonly isTest: boolean
}

export type About = {
  readonly shared: Shared
  /** In order of the time of death; never empty. */
  readonly deaths: readonly [Death, ...Death[]]
  /** Deaths of the same group in other notices. */
  readonly others: number
  /** The first and the last death of the whole group. */
  readonly from: number
  readonly to: number
}

/** Deaths that are only counted, and how to list them. */
export type Counted = {
  readonly count: number
  /** The time of the first death. */
  readonly since: number
  readonly causes: Readonly<Record<string, number>>
  /** Bounded: the count may be higher. */
  readonly uids: readonly string[]
}

const MOST_UIDS = 10_000

export function countIn(counted: Counted | null, deaths: readonly Death[]): Counted | null {
  if (deaths.length === 0) return counted
  const causes: Record<string, number> = { ...counted?.causes }
  for (const { cause } of deaths) causes[cause] = (causes[cause] ?? 0) + 1
  return {
    count: (counted?.count ?? 0) + deaths.length,
    since: deaths.reduce((first, { diedAt }) => Math.min(first, diedAt), counted?.since ?? Infinity),
    causes,
    uids: [...(counted?.uids ?? []), ...deaths.map(({ uid }) => uid)].slice(0, MOST_UIDS),
  }
}

export function addCounted(a: Counted | null, b: Counted | null): Counted | null {
  if (a === null || b === null) return a ?? b
  const causes: Record<string, number> = { ...a.causes }
  for (const [cause, count] of Object.entries(b.causes)) causes[cause] = (causes[cause] ?? 0) + count
  const uids = [...a.uids, ...b.uids].slice(0, MOST_UIDS)
  return { count: a.count + b.count, since: Math.min(a.since, b.since), causes, uids }
}

/** All deaths in this notice, listed or counted. */
export function listUids({ about, more }: Notice): readonly string[] {
  return [...(about?.deaths ?? []).map(({ uid }) => uid), ...(more?.uids ?? [])]
}
