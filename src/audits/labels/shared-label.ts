import { findOwner, scopeName } from './owner.ts'
import type { Question } from '#/core/audit/audit.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Lane } from '#/core/fleet/lane.ts'
import { sumMax } from '#/core/fleet/lane.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { PoolFit } from '#/core/fleet/set-placement.ts'
import { canRun, listPoolFits } from '#/core/fleet/set-placement.ts'

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
    return { name: own, sets: grouped, max: sumMax(grouped) }
  })
}

export function listOwners(fleet: Fleet, { sets }: SharedLabel): readonly Share[] {
  return sharesBy(sets, (set) => findOwner(set, fleet.declared))
}

export function listScopes({ sets }: SharedLabel): readonly Share[] {
  return sharesBy(sets, scopeName)
}

/** Which pools fit the runners of each set, and which run them now. */
export type Placements = ReadonlyMap<ScaleSet, readonly UsedPoolFit[]>
export type UsedPoolFit = PoolFit & { readonly isUsed: boolean }

export function findPlacements(fleet: Fleet, labels: readonly SharedLabel[]): Placements {
  const used = poolsInUse(fleet)
  const sets = new Set(labels.flatMap((label) => label.sets))
  return new Map(
    [...sets].map((set) => {
      const own = used.get(`${set.namespace}/${set.name}`)
      return [
        set,
        listPoolFits(fleet, set).map((fit) => Object.assign({ isUsed: own?.has(fit.pool.name) === true }, fit)),
      ]
    }),
  )
}

function poolsInUse(fleet: Fleet): ReadonlyMap<string, ReadonlySet<string>> {
  const poolByNode = new Map(fleet.pools.flatMap((pool) => pool.nodes.map(({ name }) => [name, pool.name] as const)))
  const used = new Map<string, Set<string>>()
  for (const { namespace, setName, pod } of fleet.runners) {
    const pool = poolByNode.get(pod?.node ?? '')
    if (pool === undefined) continue
    const key = `${namespace}/${setName}`
    used.set(key, (used.get(key) ?? new Set()).add(pool))
  }
  return used
}

export type PoolShare = Share & { readonly role: string }

/** Pools of the label: those that fit its runners, and those that run some now. */
export function listPools({ sets }: SharedLabel, placements: Placements): readonly PoolShare[] {
  const pairs = sets.flatMap((set) =>
    (placements.get(set) ?? []).filter((fit) => fit.isUsed || canRun(fit)).map(({ pool }) => ({ pool, set })),
  )
  return [...Map.groupBy(pairs, ({ pool }) => pool)].map(([pool, own]) => {
    const grouped = own.map(({ set }) => set)
    return { name: pool.name, role: pool.role, sets: grouped, max: sumMax(grouped) }
  })
}
