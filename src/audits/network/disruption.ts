import { timeAt } from '#/core/basics/fields.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import type { NetworkView } from './view.ts'
import type { Sign } from './sign.ts'

/** Taints set before a node is removed. A taint for a mere candidate does not count. */
const LEAVING =
  /^(?:ToBeDeletedByClusterAutoscaler|karpenter\.sh\/disrupt(?:ed|ion)|aws-node-termination-handler\/.{1,60}|node\.cloudprovider\.kubernetes\.io\/shutdown|node\.kubernetes\.io\/out-of-service|cloud\.google\.com\/impending-node-termination)$/

export function isLeavingTaint({ key }: { readonly key: string }): boolean {
  return LEAVING.test(key)
}

export type Disruption = Sign & {
  /** Whether it was evicted from a node that stays, or removed with its node. */
  readonly kind: 'eviction' | 'removal'
}

/** What the control plane wrote on the runner's pod when it removed it; null if nothing. */
export function findDisruption(view: NetworkView): Disruption | null {
  const { runner, end } = view.asked
  const condition = conditionAs(runner?.pod ?? null, 'DisruptionTarget', 'True')
  if (condition === null) return null
  const text = `DisruptionTarget of its pod: ${condition.reason ?? ''}: ${condition.message ?? ''}`
  const kind = toKind(condition.reason, view)
  return kind === null ? null : { kind, at: condition.since ?? end, text }
}

function toKind(reason: string | null, view: NetworkView): Disruption['kind'] | null {
  const { runner } = view.asked
  switch (reason) {
    case 'DeletionByPodGC':
    case 'DeletionByTaintManager':
      return 'removal'
    case 'PreemptionByScheduler':
      return 'eviction'
    case 'EvictionByEvictionAPI':
      return isLeaving(runner?.node ?? '', view) ? 'removal' : 'eviction'
    case 'TerminationByKubelet':
      return runner?.pod?.reason === 'Evicted' ? 'eviction' : 'removal'
    default:
      return null
  }
}

/** The node is cordoned, tainted, being deleted or gone: an eviction from it is a drain. */
function isLeaving(name: string, view: NetworkView): boolean {
  const node = view.nodeAt(name)
  if (node === null) return view.fleet.saw('kubernetes/nodes')
  return (
    node.isCordoned || timeAt(node.raw, 'metadata', 'deletionTimestamp') !== null || node.taints.some(isLeavingTaint)
  )
}
