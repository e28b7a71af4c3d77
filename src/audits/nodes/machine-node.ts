import type { Fields } from '#/core/basics/fields.ts'
import { listAt, numberAt, textAt, timeAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'

/** A machine behind a node, or one that never became a node: from Cluster API, its providers, or a Karpenter NodeClaim. */
export type MachineRecord = {
  readonly kind: string
  readonly namespace: string | null
  readonly name: string
  readonly node: string | null
  /** What creates its replacement: its set or its pool. */
  readonly maker: { readonly kind: string; readonly name: string } | null
  readonly createdAt: number | null
  readonly hasFailed: boolean
  readonly isDeleting: boolean
  /** How often its bootstrap was tried; 0 if not counted, or if it worked. */
  readonly attempts: number
  /** The message of a condition that says why it is not ready, and since when. */
  readonly standing: { readonly message: string; readonly since: number | null } | null
}

export function readMachines(fleet: Fleet): readonly MachineRecord[] {
  const rows = fleet.rows('machines')
  if (rows.length === 0) return []
  const byProvider = new Map(fleet.nodes.flatMap(({ name, raw }) => pair(textAt(raw, 'spec', 'providerID'), name)))
  const byMachine = new Map(
    fleet.nodes.flatMap(({ name, raw }) =>
      pair(textAt(raw, 'metadata', 'annotations', 'cluster.x-k8s.io/machine'), name),
    ),
  )
  return rows.map((row) =>
    readMachine(row, (machine) => {
      const provider = textAt(row, 'spec', 'providerID') ?? textAt(row, 'status', 'providerID') ?? ''
      return byProvider.get(provider) ?? byMachine.get(machine) ?? null
    }),
  )
}

function readMachine(row: Fields, findNode: (machine: string) => string | null): MachineRecord {
  const name = textAt(row, 'metadata', 'name') ?? ''
  return {
    kind: textAt(row, 'kind') ?? 'Machine',
    namespace: textAt(row, 'metadata', 'namespace'),
    name,
    node: textAt(row, 'status', 'nodeRef', 'name') ?? textAt(row, 'status', 'nodeName') ?? findNode(name),
    ...readState(row),
  }
}

function pair(key: string | null, value: string): readonly (readonly [string, string])[] {
  return key === null ? [] : [[key, value]]
}

const READY = new Set([
  'Ready',
  'Bootstrapped',
  'BootstrapReady',
  'BootstrapConfigReady',
  'Initialized',
  'InfrastructureReady',
])

function readState(row: Fields): Omit<MachineRecord, 'kind' | 'namespace' | 'name' | 'node'> {
  const conditions = listAt(row, 'status', 'conditions')
  const broken = conditions.filter(
    (condition) => READY.has(textAt(condition, 'type') ?? '') && textAt(condition, 'status') === 'False',
  )
  const said = broken.find((condition) => textAt(condition, 'message') !== null)
  const phase = textAt(row, 'status', 'phase')
  return {
    maker: readMaker(row),
    createdAt: timeAt(row, 'metadata', 'creationTimestamp'),
    hasFailed: phase === 'Failed' || textAt(row, 'status', 'failureReason') !== null,
    isDeleting: timeAt(row, 'metadata', 'deletionTimestamp') !== null,
    attempts: broken.length > 0 || phase === 'Bootstrapping' ? (numberAt(row, 'status', 'bootstrapAttempts') ?? 0) : 0,
    standing:
      said === undefined ? null : { message: textAt(said, 'message') ?? '', since: timeAt(said, 'lastTransitionTime') },
  }
}

/** Labels by which a machine names its maker. An export without owner references still has them. */
const MAKER_LABELS: readonly (readonly [label: string, kind: string])[] = [
  ['cluster.x-k8s.io/set-name', 'MachineSet'],
  ['cluster.x-k8s.io/deployment-name', 'MachineDeployment'],
  ['cluster.x-k8s.io/pool-name', 'MachinePool'],
  ['machine.openshift.io/cluster-api-machineset', 'MachineSet'],
]

function readMaker(row: Fields): MachineRecord['maker'] {
  const labelled = (label: string): string | null => textAt(row, 'metadata', 'labels', label)
  const pool = labelled('karpenter.sh/nodepool')
  if (pool !== null) return { kind: 'NodePool', name: pool }
  const owner = listAt(row, 'metadata', 'ownerReferences')[0]
  const name = textAt(owner, 'name')
  if (name !== null) return { kind: textAt(owner, 'kind') ?? '', name }
  for (const [label, kind] of MAKER_LABELS) {
    const maker = labelled(label)
    if (maker !== null) return { kind, name: maker }
  }
  return null
}
