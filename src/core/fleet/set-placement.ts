import type { Fields } from '#/core/basics/fields.ts'
import { at, fieldsOf, listAt, textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import type { Misfit } from '#/core/kubernetes/placement.ts'
import { misfitOf } from '#/core/kubernetes/placement.ts'
import type { Pool } from '#/core/fleet/pool.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

/** The spec of a set's runner pods; a RuntimeClass adds to where they may stand when they are admitted. */
export function runnerSpec({ template }: Pick<ScaleSet, 'template'>, runtimeClasses: readonly Fields[]): Fields {
  const name = textAt(template, 'runtimeClassName')
  const runtime = name === null ? undefined : runtimeClasses.find((one) => textAt(one, 'metadata', 'name') === name)
  const scheduling = at(runtime, 'scheduling')
  if (scheduling === undefined) return template
  return {
    ...template,
    nodeSelector: { ...fieldsOf(at(template, 'nodeSelector')), ...fieldsOf(at(scheduling, 'nodeSelector')) },
    tolerations: [...listAt(template, 'tolerations'), ...listAt(scheduling, 'tolerations')],
  }
}

/** How a set's runners stand to one pool. */
export type Stance = {
  readonly pool: Pool
  /** Its selector and its tolerations let them onto these; whether a node is cordoned is not asked. */
  readonly open: readonly NodeRecord[]
  /** The selector asks for these, and a taint keeps them off. */
  readonly tainted: readonly { readonly node: NodeRecord; readonly taint: string }[]
  /** The selector picks this pool out: it matches nodes here, and does not match every node there is. */
  readonly isPicked: boolean
}

const AFFINITY = ['affinity', 'nodeAffinity'] as const

type Place = Pick<Fleet, 'pools' | 'nodes' | 'rows'>

/** Hundreds of sets differ in few ways of being placed; a fleet is read once and does not change. */
const KNOWN = new WeakMap<Place['nodes'], Map<string, readonly Stance[]>>()

/** Towards each pool that has nodes. */
export function stancesOf(fleet: Place, set: ScaleSet): readonly Stance[] {
  const spec = runnerSpec(set, fleet.rows('runtimeclasses'))
  const key = JSON.stringify([spec['nodeSelector'], at(spec, ...AFFINITY), spec['tolerations']])
  const known = KNOWN.get(fleet.nodes) ?? new Map<string, readonly Stance[]>()
  KNOWN.set(fleet.nodes, known)
  const stances = known.get(key) ?? findStances(fleet, spec)
  known.set(key, stances)
  return stances
}

function findStances(fleet: Place, spec: Fields): readonly Stance[] {
  const misfits = new Map(fleet.nodes.map((node) => [node, misfitOf(spec, node)]))
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
    Object.keys(fieldsOf(at(spec, 'nodeSelector'))).length > 0 ||
    listAt(spec, ...AFFINITY, 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms').length > 0
  )
}

/** A preference sends runners to a pool without keeping them off the others. */
export function hasPreference(spec: unknown): boolean {
  return listAt(spec, ...AFFINITY, 'preferredDuringSchedulingIgnoredDuringExecution').length > 0
}

/** A cordon is for a while; placement is for good. */
function isOpen(misfit: Misfit | null): boolean {
  return misfit === null || misfit.kind === 'cordoned'
}

/** Pools that carry runners. One that is set apart for storage does so only where a set picks it out, an excluded one never. */
export function carries({ pool, open, isPicked }: Stance): boolean {
  if (open.length === 0 || pool.role === 'excluded') return false
  return pool.role !== 'storage' || isPicked
}

/** Declared pools that have no nodes at present and would let its runners in, by the labels that such nodes would have. */
export function emptyPoolsFor(fleet: Pick<Fleet, 'pools' | 'declared' | 'rows'>, set: ScaleSet): readonly string[] {
  const spec = runnerSpec(set, fleet.rows('runtimeclasses'))
  const filled = new Set(fleet.pools.filter(({ nodes }) => nodes.length > 0).map(({ name }) => name))
  return (fleet.declared.nodePools ?? [])
    .filter(({ name, role }) => !filled.has(name) && role !== 'excluded' && role !== 'storage')
    .filter(({ name, selector }) => misfitOf(spec, { name, labels: selector, taints: [], isCordoned: false }) === null)
    .map(({ name }) => name)
}

/** The nodes of all pools that carry its runners; the same list for all sets that are placed alike. */
export function openNodes(fleet: Place, set: ScaleSet): readonly NodeRecord[] {
  const stances = stancesOf(fleet, set)
  const nodes = OPEN.get(stances) ?? stances.filter(carries).flatMap(({ open }) => open)
  OPEN.set(stances, nodes)
  return nodes
}

const OPEN = new WeakMap<readonly Stance[], readonly NodeRecord[]>()
