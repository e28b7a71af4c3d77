import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { DeclaredPool, PoolRole } from '#/core/fleet-file/fleet-file.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { printTaint, tolerates } from '#/core/kubernetes/placement.ts'
import type { Taint } from '#/core/kubernetes/placement.ts'
import { POOL_LABELS } from '#/core/fleet/pool.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

export type DraftPool = {
  readonly pool: DeclaredPool
  readonly nodes: readonly NodeRecord[]
  /** Why it has this role. */
  readonly why: string
}

export type DraftPools = {
  readonly pools: readonly DraftPool[]
  /** Nodes without a distinguishing label. */
  readonly unmarked: readonly NodeRecord[]
}

const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane'

/** Pools by the provider's labels, then by labels that scale sets select, then the control plane. */
export function draftPools(nodes: readonly NodeRecord[], sets: readonly ScaleSet[]): DraftPools {
  const keys = [...POOL_LABELS, ...selectedKeys(sets), CONTROL_PLANE]
  const marked = Map.groupBy(nodes, (node) => {
    const key = keys.find((one) => typeof node.labels[one] === 'string')
    return key === undefined ? null : JSON.stringify([key, node.labels[key]])
  })
  const unmarked = marked.get(null) ?? []
  const names = new Set<string>()
  const pools = [...marked].flatMap(([mark, own]) => {
    if (mark === null) return []
    const [key, value] = JSON.parse(mark) as [string, string]
    return [draftPool({ key, value }, own, { sets, names })]
  })
  if (pools.length > 0 || unmarked.length === 0) return { pools, unmarked }
  const os = new Set(unmarked.map(({ labels }) => textAt(labels, 'kubernetes.io/os')))
  const [only] = os
  if (os.size !== 1 || only === undefined || only === null) return { pools, unmarked }
  return {
    pools: [draftPool({ key: 'kubernetes.io/os', value: only }, unmarked, { sets, names, name: 'all' })],
    unmarked: [],
  }
}

/** Labels that describe a node but do not identify a pool. */
const COMMON =
  /^(?:beta\.)?kubernetes\.io\/|^node\.kubernetes\.io\/(?:instance-type|windows-build)$|^topology\.kubernetes\.io\//

function selectedKeys(sets: readonly ScaleSet[]): readonly string[] {
  const keys = sets.flatMap(({ template }) => Object.keys(toFields(at(template, 'nodeSelector'))))
  return [...new Set(keys)].filter((key) => !COMMON.test(key)).toSorted()
}

function draftPool(
  { key, value }: { readonly key: string; readonly value: string },
  nodes: readonly NodeRecord[],
  { sets, names, name }: { readonly sets: readonly ScaleSet[]; readonly names: Set<string>; readonly name?: string },
): DraftPool {
  const { role, why } = guessRole(nodes, sets)
  const count = nodes.length === 1 ? '1 node' : `${nodes.length} nodes`
  const wanted = name ?? (value === '' ? (key.split('/').at(-1) ?? key) : value)
  const free = names.has(wanted) ? `${wanted}-${names.size + 1}` : wanted
  names.add(free)
  return { pool: { name: free, selector: { [key]: value }, role }, nodes, why: `${count}; ${why}` }
}

const SPOT: Readonly<Record<string, RegExp>> = {
  'karpenter.sh/capacity-type': /^spot$/,
  'eks.amazonaws.com/capacityType': /^SPOT$/,
  'cloud.google.com/gke-spot': /^true$/,
  'cloud.google.com/gke-preemptible': /^true$/,
  'kubernetes.azure.com/scalesetpriority': /^spot$/,
}

function guessRole(
  nodes: readonly NodeRecord[],
  sets: readonly ScaleSet[],
): { readonly role: PoolRole; readonly why: string } {
  const taints = commonTaints(nodes)
  const shown = taints.map(printTaint).join(', ')
  if (taints.some(({ key }) => /\/(?:control-plane|master)$/.test(key))) {
    return { role: 'excluded', why: `the control plane: ${shown}` }
  }
  if (taints.some(({ key, value }) => /storage|ceph|longhorn/i.test(`${key}=${value}`))) {
    return { role: 'storage', why: `by its taint ${shown}` }
  }
  const tolerant = sets.filter(({ template }) =>
    taints.every((taint) => tolerates(listAt(template, 'tolerations'), taint)),
  )
  if (taints.length > 0 && sets.length > 0 && tolerant.length === 0) {
    return { role: 'excluded', why: `no scale set tolerates ${shown}` }
  }
  const isSpot =
    nodes.every(({ labels }) =>
      Object.entries(SPOT).some(([key, pattern]) => pattern.test(textAt(labels, key) ?? '')),
    ) || taints.some(({ key, value }) => /spot|preemptible|overflow|burst/i.test(`${key}=${value}`))
  if (isSpot) return { role: 'overflow', why: 'spot nodes, by their labels or taints' }
  if (tolerant.length < sets.length) {
    return { role: 'overflow', why: `${tolerant.length} of ${sets.length} scale sets tolerate ${shown}` }
  }
  return {
    role: 'baseline',
    why: taints.length === 0 ? 'no taint keeps runners off' : `every scale set tolerates ${shown}`,
  }
}

/** Taints of every node. Taints of the node controller mark unhealthy nodes and do not count. */
function commonTaints(nodes: readonly NodeRecord[]): readonly Taint[] {
  const [first, ...others] = nodes
  const hard = (first?.taints ?? []).filter(
    ({ key, effect }) => (effect === 'NoSchedule' || effect === 'NoExecute') && !key.startsWith('node.kubernetes.io/'),
  )
  return hard.filter((taint) =>
    others.every(({ taints }) => taints.some((other) => printTaint(other) === printTaint(taint))),
  )
}
