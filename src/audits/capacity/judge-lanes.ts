import { listNodeCapacities } from './node-capacity.ts'
import type { NodeCapacity } from './node-capacity.ts'
import { isUnder, listQuotaCapacities, quotaRefusal } from './quota-room.ts'
import type { RunnerLoad } from './runner-load.ts'
import { runnerLoad } from './runner-load.ts'
import type { Together } from './together.ts'
import { packTogether } from './together.ts'
import type { Bound, CapacityView, NodeFill } from './node-fill.ts'
import { startFill } from './node-fill.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Lane } from '#/core/fleet/lane.ts'
import { formatAmount, timesIn } from '#/core/kubernetes/quantity.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

export type LaneCapacity = {
  readonly lane: Lane
  /** Null means unlimited. */
  readonly declaredMax: number | null
  /** How many would run at once if the lane had the nodes to itself. */
  readonly fits: number
  readonly boundBy: Bound | null
  readonly pools: readonly { readonly pool: string; readonly nodes: number; readonly fits: number }[]
  /** Sets of which not even one runner can ever be scheduled. */
  readonly impossible: readonly Impossible[]
  readonly loads: readonly RunnerLoad[]
  /** Set if the lane fits alone, but not with all others at their maximum. */
  readonly together: Together | null
  /** Nodes that fit but accept no pods now. */
  readonly closed: readonly NodeCapacity[]
  /** One of its nodes, as an example for daemon pods. */
  readonly sample: NodeCapacity | null
  /** If not all fit: the node with the most room for its runners, with only daemon pods on it. */
  readonly best: { readonly capacity: NodeCapacity; readonly times: number } | null
}

export type Impossible = {
  readonly load: RunnerLoad
  readonly why: readonly string[]
  /** The largest node for this load, if size is the problem. */
  readonly nearest: NodeCapacity | null
}

export function judgeLanes(fleet: Fleet, lanes: readonly Lane[]): readonly LaneCapacity[] {
  const view: CapacityView = {
    capacities: new Map(listNodeCapacities(fleet).map((one) => [one.node.name, one])),
    quotas: listQuotaCapacities(fleet),
    overheads: fleet.overheads,
  }
  const loads = new Map(
    fleet.sets.filter(({ deletedAt }) => deletedAt === null).map((set) => [set, runnerLoad(fleet, set)]),
  )
  const unschedulable = new Map(
    [...loads.values()].flatMap((load) => impossibility(view, load)).map((one) => [one.load.set, one]),
  )
  const feasible = [...loads.values()].filter(({ set }) => !unschedulable.has(set))
  const groups = packTogether(view, feasible, listDemands(fleet.lanes))
  return lanes.map((lane) => {
    const possible = lane.sets.flatMap((set) => (unschedulable.has(set) ? [] : (loads.get(set) ?? [])))
    return Object.assign(alone(view, possible), {
      lane,
      declaredMax: lane.declaredMax,
      impossible: lane.sets.flatMap((set) => unschedulable.get(set) ?? []),
      loads: possible,
      together: findClash(lane, groups),
    })
  })
}

/** How many runners each set may have; a lane's declared maximum takes precedence over its sets' maxima. */
function listDemands(lanes: readonly Lane[]): ReadonlyMap<ScaleSet, number> {
  const demands = new Map<ScaleSet, number>()
  for (const { sets, declaredMax } of lanes.toSorted((a, b) => Number(a.isDeclared) - Number(b.isDeclared))) {
    let left = declaredMax ?? Infinity
    for (const set of sets) {
      const demand = Math.min(left, sets.length === 1 ? left : (set.maxRunners ?? Infinity))
      if (demand !== Infinity) demands.set(set, demand)
      left -= demand
    }
  }
  return demands
}

/** A group of only the lane's own sets is no clash. */
function findClash(lane: Lane, groups: readonly Together[]): Together | null {
  const own = new Set(lane.sets)
  return groups.find(({ sets }) => !sets.isDisjointFrom(own) && !sets.isSubsetOf(own)) ?? null
}

function impossibility({ capacities, quotas, overheads }: CapacityView, load: RunnerLoad): readonly Impossible[] {
  const refusals = [
    ...load.refusals,
    ...quotas.filter((one) => isUnder(one, load)).flatMap((one) => quotaRefusal(one, load, overheads) ?? []),
  ]
  if (refusals.length > 0) return [{ load, why: refusals, nearest: null }]
  const own = openCapacities(load, capacities)
  if (own.length === 0) {
    const why = ['no node of a pool for runners fits it: selector, affinity or taints']
    return load.emptyPools.length > 0 ? [] : [{ load, why, nearest: null }]
  }
  if (own.some(({ whole }) => timesIn(whole, load.each).times > 0)) return []
  const [nearest = null] = own.toSorted((a, b) => measureLack(a, load) - measureLack(b, load))
  return [{ load, why: nearest === null ? [] : lacks(nearest, load), nearest }]
}

/** The request divided by the node's capacity, for the scarcest resource. */
function measureLack({ whole }: NodeCapacity, { each }: RunnerLoad): number {
  return Math.max(...[...each].map(([name, amount]) => amount / Math.max(whole.get(name) ?? 0, Number.EPSILON)))
}

function lacks({ whole, node }: NodeCapacity, { each }: RunnerLoad): readonly string[] {
  return [...each]
    .filter(([name, amount]) => amount > (whole.get(name) ?? 0))
    .map(([name, amount]) => {
      const most = formatAmount(name, Math.max(0, whole.get(name) ?? 0))
      return `it requests ${formatAmount(name, amount)} ${name}; the nearest node, ${node.name}, has ${most} left after its daemon pods`
    })
}

function openCapacities({ open }: RunnerLoad, capacities: CapacityView['capacities']): readonly NodeCapacity[] {
  return open.flatMap(({ name }) => capacities.get(name) ?? [])
}

function alone(view: CapacityView, loads: readonly RunnerLoad[]) {
  const fill = startFill(view)
  const counts = loads.map((load) => ({ load, count: fill.put(load, load.set.maxRunners ?? Infinity) }))
  const short = counts.find(({ load, count }) => count < (load.set.maxRunners ?? Infinity))?.load
  // How much room is left beyond the sets' maxima.
  const bounding = short ?? loads.at(-1)
  const others = loads.filter((load) => load !== bounding)
  const more = short === undefined ? others.reduce((sum, load) => sum + fill.put(load, Infinity), 0) : 0
  const rest = bounding === undefined ? null : fill.left(bounding)
  const own = [...new Set(loads.flatMap((load) => openCapacities(load, view.capacities)))]
  const free = short === undefined ? (rest?.times ?? 0) : 0
  return {
    fits: counts.reduce((sum, { count }) => sum + count, 0) + more + free,
    boundBy: rest?.boundBy ?? null,
    pools: countPools(own, (node) => countOn(fill, node) + (free > 0 ? (rest?.byNode.get(node) ?? 0) : 0)),
    closed: own.filter(({ closed }) => closed !== null),
    sample: own[0] ?? null,
    best: findBest(own, short),
  }
}

function countOn(fill: NodeFill, node: string): number {
  return [...fill.on(node).values()].reduce((sum, count) => sum + count, 0)
}

function countPools(capacities: readonly NodeCapacity[], fitsOn: (node: string) => number): LaneCapacity['pools'] {
  return [...Map.groupBy(capacities, ({ pool }) => pool)].map(([pool, own]) => ({
    pool,
    nodes: own.length,
    fits: own.reduce((sum, { node }) => sum + fitsOn(node.name), 0),
  }))
}

function findBest(capacities: readonly NodeCapacity[], load: RunnerLoad | undefined): LaneCapacity['best'] {
  if (load === undefined) return null
  let best: LaneCapacity['best'] = null
  for (const one of capacities) {
    const { times } = timesIn(one.whole, load.each)
    if (best === null || times > best.times) best = { capacity: one, times }
  }
  return best
}
