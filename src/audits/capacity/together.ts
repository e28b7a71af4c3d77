import type { RunnerLoad } from './runner-load.ts'
import type { Bound, CapacityView, NodeFill } from './node-fill.ts'
import { startFill } from './node-fill.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

/** Sets that cannot all have their maximum at once. */
export type Together = {
  readonly sets: ReadonlySet<ScaleSet>
  readonly declaredMax: number
  readonly fits: number
  readonly boundBy: Bound
}

/**
 * Places every set at its maximum at once. Which of them ends up short depends on the order, so each short set is
 * grouped with the sets on its nodes: together they cannot have their maximum.
 */
export function packTogether(
  view: CapacityView,
  loads: readonly RunnerLoad[],
  demands: ReadonlyMap<ScaleSet, number>,
): readonly Together[] {
  const asking = loads.flatMap((load) => {
    const demand = demands.get(load.set)
    return demand === undefined || demand <= 0 ? [] : [{ load, demand }]
  })
  const ordered = byContention(asking)
  // Another order may find more room: sets clash only if every order leaves one short.
  const packings = ORDERS.map((order) => pack(view, ordered.toSorted(order)))
  if (packings.some(({ short }) => short.length === 0)) return []
  const [best] = packings.toSorted((a, b) => a.missing - b.missing)
  return best === undefined ? [] : clashes(best, asking)
}

type Asking = { readonly load: RunnerLoad; readonly demand: number }

/** Sets with few nodes first, or large runners first. */
const ORDERS: readonly ((a: Asking, b: Asking) => number)[] = [
  (a, b) => a.load.open.length - b.load.open.length || size(b) - size(a),
  (a, b) => size(b) - size(a) || a.load.open.length - b.load.open.length,
]

function size({ load: { each } }: Asking): number {
  return (each.get('cpu') ?? 0) + (each.get('memory') ?? 0) / 2 ** 32
}

/** Nodes that few sets can use are filled first, so that shared ones stay free. */
function byContention(asking: readonly Asking[]): readonly Asking[] {
  const wanted = new Map<string, number>()
  for (const { load } of asking) for (const { name } of load.open) wanted.set(name, (wanted.get(name) ?? 0) + 1)
  // Sets with the same placement share one node list: sort it once.
  const sorted = new Map<RunnerLoad['open'], RunnerLoad['open']>()
  const sortOnce = (open: RunnerLoad['open']): RunnerLoad['open'] => {
    const known = sorted.get(open) ?? open.toSorted((a, b) => (wanted.get(a.name) ?? 0) - (wanted.get(b.name) ?? 0))
    sorted.set(open, known)
    return known
  }
  return asking.map(({ load, demand }) => ({ demand, load: Object.assign({}, load, { open: sortOnce(load.open) }) }))
}

type Packing = {
  readonly fill: NodeFill
  readonly counts: ReadonlyMap<ScaleSet, number>
  readonly short: readonly RunnerLoad[]
  readonly missing: number
}

function pack(view: CapacityView, asking: readonly Asking[]): Packing {
  const fill = startFill(view)
  const counts = new Map<ScaleSet, number>()
  const short: RunnerLoad[] = []
  let missing = 0
  for (const { load, demand } of asking) {
    const count = fill.put(load, demand)
    counts.set(load.set, count)
    if (count < demand) {
      short.push(load)
      missing += demand - count
    }
  }
  return { fill, counts, short, missing }
}

/** Overlapping groups are merged into one. */
function clashes(packing: Packing, asking: readonly Asking[]): readonly Together[] {
  let groups: readonly ReadonlySet<ScaleSet>[] = []
  for (const load of packing.short) {
    const own = new Set([load.set, ...listRivals(packing.fill, load, asking)])
    const [touched, apart] = [
      groups.filter((group) => !group.isDisjointFrom(own)),
      groups.filter((group) => group.isDisjointFrom(own)),
    ]
    groups = [...apart, touched.reduce<ReadonlySet<ScaleSet>>((all, group) => all.union(group), own)]
  }
  return groups.flatMap((sets) => describe(packing, sets, asking))
}

function describe(
  { fill, counts, short }: Packing,
  sets: ReadonlySet<ScaleSet>,
  asking: readonly Asking[],
): readonly Together[] {
  const members = asking.filter(({ load }) => sets.has(load.set))
  const first = short.find(({ set }) => sets.has(set))
  const boundBy = first === undefined ? null : fill.left(first).boundBy
  if (boundBy === null) return []
  return [
    {
      sets,
      declaredMax: members.reduce((sum, { demand }) => sum + demand, 0),
      fits: members.reduce((sum, { load }) => sum + (counts.get(load.set) ?? 0), 0),
      boundBy,
    },
  ]
}

function listRivals(fill: NodeFill, load: RunnerLoad, asking: readonly Asking[]): readonly ScaleSet[] {
  if (fill.left(load).boundBy?.kind === 'quota') {
    return asking.map((one) => one.load.set).filter(({ namespace }) => namespace === load.set.namespace)
  }
  return load.open.flatMap(({ name }) => [...fill.on(name).keys()].map(({ set }) => set))
}
