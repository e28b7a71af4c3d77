import type { FleetFile, PoolRole } from '#/core/fleet-file/fleet-file.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { textAt } from '#/core/basics/fields.ts'

export type Pool = {
  readonly name: string
  readonly role: PoolRole
  readonly nodes: readonly NodeRecord[]
  readonly isDeclared: boolean
}

/** Labels with which providers and autoscalers mark the pool of a node. */
export const POOL_LABELS = [
  'karpenter.sh/nodepool',
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'agentpool',
  'node.kubernetes.io/pool',
  'doks.digitalocean.com/node-pool',
  'k8s.scaleway.com/pool-name',
]

const REST = 'other'

/** Declared pools; all other nodes are grouped by their provider's pool label. */
export function listPools(nodes: readonly NodeRecord[], declared: FleetFile): readonly Pool[] {
  const pools = (declared.nodePools ?? []).map((pool): Pool => ({
    name: pool.name,
    role: pool.role,
    nodes: nodes.filter(({ labels }) => Object.entries(pool.selector).every(([key, value]) => labels[key] === value)),
    isDeclared: true,
  }))
  const placed = new Set(pools.flatMap((pool) => pool.nodes))
  const found = Map.groupBy(
    nodes.filter((node) => !placed.has(node)),
    foundPool,
  )
  const isDeclared = pools.length > 0
  return [
    ...pools,
    ...[...found].map(([name, own]): Pool => ({
      name: name ?? (isDeclared ? REST : 'all'),
      role: 'baseline',
      nodes: own,
      isDeclared: false,
    })),
  ]
}

function foundPool({ labels }: NodeRecord): string | null {
  for (const key of POOL_LABELS) {
    const name = textAt(labels, key)
    if (name !== null) return name
  }
  return null
}
