import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Lane } from '#/core/fleet/lane.ts'
import { sumMax } from '#/core/fleet/lane.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { canRun, emptyPoolsFor, listPoolFits } from '#/core/fleet/set-placement.ts'

export type EnvelopeMismatch = {
  readonly declaredMax: number | null
  /** What the sets allow together; null means unlimited. */
  readonly liveMax: number | null
  readonly pools: readonly PoolMismatch[]
  readonly why: readonly string[]
}

export type PoolMismatch = {
  readonly pool: string
  readonly declared: number
  /** The maximum of the sets that fit only this pool. */
  readonly least: number | null
  /** The maximum of all sets that fit this pool. */
  readonly most: number | null
}

/** Compares what the sets of a lane allow with what the lane declares, in total and per pool. */
export function envelopeMismatch(fleet: Fleet, lane: Lane): EnvelopeMismatch | null {
  const own = fleet.declared.lanes?.find(({ label }) => label === lane.label)
  if (own === undefined || (own.declaredMax === undefined && own.envelope === undefined)) return null
  const whole = own.envelope === undefined ? null : Object.values(own.envelope).reduce((sum, n) => sum + n, 0)
  const declaredMax = own.declaredMax ?? whole
  const pools = poolMismatches(fleet, lane)
  const why = [
    ...(whole === null || whole === declaredMax
      ? []
      : [`declaredMax is ${declaredMax}, the envelope adds up to ${whole}`]),
    ...maxMismatch(lane, declaredMax),
    ...pools.map(poolSentence),
  ]
  return why.length === 0 ? null : { declaredMax, liveMax: sumMax(lane.sets), pools, why }
}

function maxMismatch({ sets }: Lane, declaredMax: number | null): readonly string[] {
  const unbounded = sets.filter(({ maxRunners }) => maxRunners === null)
  if (unbounded.length > 0) return unbounded.map(({ namespace, name }) => `${namespace}/${name} has no maxRunners`)
  const liveMax = sumMax(sets)
  return declaredMax === liveMax
    ? []
    : [`${declaredMax} runners are declared, maxRunners of ${listNames(sets)} adds up to ${liveMax}`]
}

function poolSentence({ pool, declared, least, most }: PoolMismatch): string {
  const range = least === most ? bound(least) : `${bound(least)} to ${bound(most)}`
  return `${declared} runners are declared on pool ${pool}, the sets can place ${range} there`
}

const bound = (count: number | null): string => (count === null ? 'any number' : String(count))

function listNames(sets: readonly ScaleSet[]): string {
  return sets.map(({ namespace, name }) => `${namespace}/${name}`).join(', ') || 'no set'
}

function poolMismatches(fleet: Fleet, lane: Lane): readonly PoolMismatch[] {
  const { envelope } = lane
  if (envelope === null) return []
  const places = lane.sets.map((set) => ({ set, pools: poolsFor(fleet, set) }))
  return knownPools(fleet, envelope).flatMap((pool) => {
    // A set that fits no pool is reported as toleration-missing; here it may be meant for any pool.
    const here = places.filter(({ pools }) => pools.size === 0 || pools.has(pool))
    const least = sumMax(here.filter(({ pools }) => pools.size === 1).map(({ set }) => set))
    const most = sumMax(here.map(({ set }) => set))
    const declared = envelope[pool] ?? 0
    const isOff = least === null || least > declared || (most !== null && most < declared)
    return isOff ? [{ pool, declared, least, most }] : []
  })
}

/** Pools whose nodes or labels are known. If the nodes were read, a pool without nodes is known to be empty. */
function knownPools({ pools, declared, saw }: Fleet, envelope: Readonly<Record<string, number>>): readonly string[] {
  return [
    ...new Set([
      ...(declared.nodePools ?? []).map(({ name }) => name),
      ...pools.map(({ name }) => name),
      ...(saw('kubernetes/nodes') ? Object.keys(envelope) : []),
    ]),
  ]
}

/** Pools that fit its runners, or would without a taint. */
function poolsFor(fleet: Fleet, set: ScaleSet): ReadonlySet<string> {
  const byNodes = listPoolFits(fleet, set).filter((fit) => fit.isPicked || canRun(fit))
  return new Set([...byNodes.map(({ pool }) => pool.name), ...emptyPoolsFor(fleet, set)])
}
