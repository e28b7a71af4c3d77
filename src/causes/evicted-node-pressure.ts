import { WEIGHT, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { evictions, hasSucceeded, leftBeforeEviction, limitedByUnknownState } from '#/core/why/grounds.ts'
import { theNode, thePod, toldBy, whileWorking } from '#/core/why/wording.ts'
import type { Dossier } from '#/core/why/dossier.ts'

/** A kubelet that restarts under pressure rejects pods that were running. A pod that never ran was only refused. */
function wasRunning(d: Dossier): boolean {
  return d.ran.length > 0 || (d.pod?.startedAt !== null && d.pod !== null) || (d.pod?.containers.length ?? 0) > 0
}

/** The condition names the pressure; readers want to know what was short. */
function lacking(condition: string | null): string {
  if (condition === null) return 'a resource'
  return condition
    .replaceAll('DiskPressure', 'disk')
    .replaceAll('MemoryPressure', 'memory')
    .replaceAll('PIDPressure', 'process ids')
}

export const evictedNodePressure: Cause = {
  id: 'evicted-node-pressure',
  kind: 'death',
  meaning: 'the kubelet evicted the pod because the node was short of disk, memory or process ids',
  toldApart:
    "The message says that the node was low on a resource, or had a condition. An eviction over the pod's own limit names the pod, its volume or its containers.",
  settledBy: ['kubernetes/pods', 'kubernetes/events', 'journal'],
  isProvenByStatus: true,
  weigh: (d) => {
    const { node, rejected, own } = evictions(d)
    return [
      ...speaksFor(0.97, node),
      ...speaksFor(0.92, wasRunning(d) ? rejected : []),
      ...speaksFor(
        WEIGHT.medium,
        node.length + rejected.length > 0
          ? [...d.ofNode('node-reclaims', 'eviction-manager'), ...d.told('short-grace')]
          : [],
      ),
      ...speaksAgainst(own),
      ...speaksAgainst(hasSucceeded(d)),
      ...speaksAgainst(leftBeforeEviction(d)),
      ...limitedByUnknownState(d),
    ]
  },
  actor: () => 'kubelet',
  sentence: (d) =>
    `The kubelet ended ${thePod(d)}${whileWorking(d)} because ${theNode(d)} was short of ${toldBy(d, 'evicted-for-node', 'resource') ?? lacking(toldBy(d, 'rejected-for-node-condition', 'condition'))}.`,
  next: (d) => {
    const what = `${toldBy(d, 'evicted-for-node', 'resource') ?? ''} ${toldBy(d, 'rejected-for-node-condition', 'condition') ?? ''} ${d.pod?.message ?? ''}`
    if (/memory/i.test(what))
      return ['Set memory requests equal to limits, so that the scheduler does not overcommit the node.']
    if (/pid/i.test(what)) return ['Set podPidsLimit on the node: one pod used up the process ids of all.']
    return [
      `Find what filled the disk of ${theNode(d)} (images, emptyDir, logs): "was using" in the message does not count emptyDir. Give runners ephemeral-storage requests and limits.`,
    ]
  },
}
