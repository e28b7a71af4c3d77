import { timeAt } from '#/core/basics/fields.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import type { Scene } from './scene.ts'
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
export function disruptionOf(scene: Scene): Disruption | null {
  const { runner, end } = scene.asked
  const condition = conditionAs(runner?.pod ?? null, 'DisruptionTarget', 'True')
  if (condition === null) return null
  const text = `DisruptionTarget of its pod: ${condition.reason ?? ''}: ${condition.message ?? ''}`
  const kind = kindOf(condition.reason, scene)
  return kind === null ? null : { kind, at: condition.since ?? end, text }
}

function kindOf(reason: string | null, scene: Scene): Disruption['kind'] | null {
  const { runner } = scene.asked
  switch (reason) {
    case 'DeletionByPodGC':
    case 'DeletionByTaintManager':
      return 'removal'
    case 'PreemptionByScheduler':
      return 'eviction'
    case 'EvictionByEvictionAPI':
      return isLeaving(runner?.node ?? '', scene) ? 'removal' : 'eviction'
    case 'TerminationByKubelet':
      return runner?.pod?.reason === 'Evicted' ? 'eviction' : 'removal'
    default:
      return null
  }
}

/** The node is cordoned, tainted, being deleted or gone: an eviction from it is a drain. */
function isLeaving(name: string, scene: Scene): boolean {
  const node = scene.nodeAt(name)
  if (node === null) return scene.fleet.saw('kubernetes/nodes')
  return (
    node.isCordoned || timeAt(node.raw, 'metadata', 'deletionTimestamp') !== null || node.taints.some(isLeavingTaint)
  )
}
