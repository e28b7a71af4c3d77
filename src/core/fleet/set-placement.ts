import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import type { Misfit } from '#/core/kubernetes/placement.ts'
import { findMisfit } from '#/core/kubernetes/placement.ts'
import type { Pool } from '#/core/fleet/pool.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

/** The spec of a set's runner pods; a RuntimeClass adds selectors and tolerations at admission. */
export function runnerSpec({ template }: Pick<ScaleSet, 'template'>, runtimeClasses: readonly Fields[]): Fields {
  const name = textAt(template, 'runtimeClassName')
  const runtime = name === null ? undefined : runtimeClasses.find((one) => textAt(one, 'metadata', 'name') === name)
  const scheduling = at(runtime, 'scheduling')
  if (scheduling === undefined) return template
  return {
    ...template,
    nodeSelector: { ...toFields(at(template, 'nodeSelector')), ...toFields(at(scheduling, 'nodeSelector')) },
    tolerations: [...listAt(template, 'tolerations'), ...listAt(scheduling, 'tolerations')],
  }
}

/** How a set's runners fit one pool. */
export type PoolFit = {
  readonly pool: Pool
  /** Nodes that match its selector and tolerations, including cordoned ones. */
  readonly open: readonly NodeRecord[]
  /** Nodes that match the selector but have an untolerated taint. */
  readonly tainted: readonly { readonly node: NodeRecord; readonly taint: string }[]
  /** The selector chooses this pool: it matches nodes here, but not every node of the cluster. */
  readonly isPicked: boolean
}

const AFFINITY = ['affinity', 'nodeAffinity'] as const

type Place = Pick<Fleet, 'pools' | 'nodes' | 'rows'>

/** Cached: hundreds of sets share a few placements, and a fleet does not change after it is read. */
const KNOWN = new WeakMap<Place['nodes'], Map<string, readonly PoolFit[]>>()

/** For each pool with nodes. */
export function listPoolFits(fleet: Place, set: ScaleSet): readonly PoolFit[] {
  const spec = runnerSpec(set, fleet.rows('runtimeclasses'))
  const key = JSON.stringify([spec['nodeSelector'], at(spec, ...AFFINITY), spec['tolerations']])
  const known = KNOWN.get(fleet.nodes) ?? new Map<string, readonly PoolFit[]>()
  KNOWN.set(fleet.nodes, known)
  const fits = known.get(key) ?? computePoolFits(fleet, spec)
  known.set(key, fits)
  return fits
}

function computePoolFits(fleet: Place, spec: Fields): readonly PoolFit[] {
  const misfits = new Map(fleet.nodes.map((node) => [node, findMisfit(spec, node)]))
  const pools = fleet.pools.filter(({ nodes }) => nodes.length > 0)
  const leavesOut = [...misfits.values()].some((misfit) => misfit?.kind === 'selector')
  const isSelective = leavesOut || (pools.length === 1 && hasSelector(spec))
  return pools.map((pool) => {
    const open = pool.nodes.filter((node) => isOpen(misfits.get(node) ?? null))
    const tainted = pool.nodes.flatMap((node) => {
      const misfit = misfits.get(node)
      return misfit?.kind === 'taint' ? [{ node, taint: misfit.detail }] : []
    })
    return { pool, open, tainted, isPicked: isSelective && open.length + tainted.length > 0 }
  })
}

export function hasSelector(spec: unknown): boolean {
  return (
    Object.keys(toFields(at(spec, 'nodeSelector'))).length > 0 ||
    listAt(spec, ...AFFINITY, 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms').length > 0
  )
}

/** A preference prefers a pool without excluding the others. */
export function hasPreference(spec: unknown): boolean {
  return listAt(spec, ...AFFINITY, 'preferredDuringSchedulingIgnoredDuringExecution').length > 0
}

/** A cordon is temporary, so it does not count for placement. */
function isOpen(misfit: Misfit | null): boolean {
  return misfit === null || misfit.kind === 'cordoned'
}

/** Whether the pool can run the set's runners. A storage pool only if the set selects it, an excluded pool never. */
export function canRun({ pool, open, isPicked }: PoolFit): boolean {
  if (open.length === 0 || pool.role === 'excluded') return false
  return pool.role !== 'storage' || isPicked
}

/** Declared pools without nodes that would fit its runners, judged by the pool's labels. */
export function emptyPoolsFor(fleet: Pick<Fleet, 'pools' | 'declared' | 'rows'>, set: ScaleSet): readonly string[] {
  const spec = runnerSpec(set, fleet.rows('runtimeclasses'))
  const filled = new Set(fleet.pools.filter(({ nodes }) => nodes.length > 0).map(({ name }) => name))
  return (fleet.declared.nodePools ?? [])
    .filter(({ name, role }) => !filled.has(name) && role !== 'excluded' && role !== 'storage')
    .filter(
      ({ name, selector }) => findMisfit(spec, { name, labels: selector, taints: [], isCordoned: false }) === null,
    )
    .map(({ name }) => name)
}

/** The nodes of all pools that can run its runners; sets with equal placement share the list. */
export function openNodes(fleet: Place, set: ScaleSet): readonly NodeRecord[] {
  const fits = listPoolFits(fleet, set)
  const nodes = OPEN.get(fits) ?? fits.filter(canRun).flatMap(({ open }) => open)
  OPEN.set(fits, nodes)
  return nodes
}

const OPEN = new WeakMap<readonly PoolFit[], readonly NodeRecord[]>()
