import { ownerOf, scopeNameOf } from './owner.ts'
import type { Question } from '#/core/audit/audit.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Lane } from '#/core/fleet/lane.ts'
import { sumOfMax } from '#/core/fleet/lane.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { Stance } from '#/core/fleet/set-placement.ts'
import { carries, stancesOf } from '#/core/fleet/set-placement.ts'

/** A label with every set that serves it or is declared to. */
export type SharedLabel = {
  readonly label: string
  readonly lane: Lane
  readonly sets: readonly ScaleSet[]
  /** Sets that have the label at GitHub but are not in the declared lane. */
  readonly unnamed: readonly ScaleSet[]
}

export function sharedLabels(fleet: Fleet, { labels, scaleSets }: Question): readonly SharedLabel[] {
  const byLabel = new Map<string, ScaleSet[]>()
  for (const set of fleet.sets.filter(({ deletedAt }) => deletedAt === null)) {
    for (const label of set.runsOn) byLabel.set(label.toLowerCase(), [...(byLabel.get(label.toLowerCase()) ?? []), set])
  }
  const asked = new Set(labels.map((label) => label.toLowerCase()))
  return fleet.lanes
    .filter(({ label }) => asked.size === 0 || asked.has(label.toLowerCase()))
    .map((lane) => {
      const own = new Set(lane.sets)
      const unnamed = (byLabel.get(lane.label.toLowerCase()) ?? []).filter((set) => !own.has(set))
      return { label: lane.label, lane, sets: [...lane.sets, ...unnamed], unnamed }
    })
    .filter(({ sets }) => scaleSets.length === 0 || sets.some((set) => namesSet(scaleSets, set)))
}

/** Some of a label's sets, with their maximum together; null means unlimited. */
export type Share = { readonly name: string; readonly sets: readonly ScaleSet[]; readonly max: number | null }

export function sharesBy(sets: readonly ScaleSet[], name: (set: ScaleSet) => string | null): readonly Share[] {
  const known = sets.flatMap((set) => {
    const own = name(set)
    return own === null ? [] : [{ own, set }]
  })
  return [...Map.groupBy(known, ({ own }) => own)].map(([own, group]) => {
    const grouped = group.map(({ set }) => set)
    return { name: own, sets: grouped, max: sumOfMax(grouped) }
  })
}

export function ownersOf(fleet: Fleet, { sets }: SharedLabel): readonly Share[] {
  return sharesBy(sets, (set) => ownerOf(set, fleet.declared))
}

export function scopesOf({ sets }: SharedLabel): readonly Share[] {
  return sharesBy(sets, scopeNameOf)
}

/** Which pools fit the runners of each set, and which run them now. */
export type Placements = ReadonlyMap<ScaleSet, readonly PoolStance[]>
export type PoolStance = Stance & { readonly isUsed: boolean }

export function placementsOf(fleet: Fleet, labels: readonly SharedLabel[]): Placements {
  const used = poolsInUse(fleet)
  const sets = new Set(labels.flatMap((label) => label.sets))
  return new Map(
    [...sets].map((set) => {
      const own = used.get(`${set.namespace}/${set.name}`)
      return [
        set,
        stancesOf(fleet, set).map((stance) => Object.assign({ isUsed: own?.has(stance.pool.name) === true }, stance)),
      ]
    }),
  )
}

function poolsInUse(fleet: Fleet): ReadonlyMap<string, ReadonlySet<string>> {
  const poolOf = new Map(fleet.pools.flatMap((pool) => pool.nodes.map(({ name }) => [name, pool.name] as const)))
  const used = new Map<string, Set<string>>()
  for (const { namespace, setName, pod } of fleet.runners) {
    const pool = poolOf.get(pod?.node ?? '')
    if (pool === undefined) continue
    const key = `${namespace}/${setName}`
    used.set(key, (used.get(key) ?? new Set()).add(pool))
  }
  return used
}

export type PoolShare = Share & { readonly role: string }

/** Pools of the label: those that fit its runners, and those that run some now. */
export function poolsOfLabel({ sets }: SharedLabel, placements: Placements): readonly PoolShare[] {
  const pairs = sets.flatMap((set) =>
    (placements.get(set) ?? []).filter((stance) => stance.isUsed || carries(stance)).map(({ pool }) => ({ pool, set })),
  )
  return [...Map.groupBy(pairs, ({ pool }) => pool)].map(([pool, own]) => {
    const grouped = own.map(({ set }) => set)
    return { name: pool.name, role: pool.role, sets: grouped, max: sumOfMax(grouped) }
  })
}
