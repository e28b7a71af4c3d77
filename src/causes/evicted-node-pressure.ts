import { WEIGHT, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { evictions, hasSucceeded, leftBeforeEviction, limitedByUnknownState } from '#/core/why/weighing/shared-facts.ts'
import { theNode, thePod, clueField, whileWorking } from '#/core/why/wording.ts'
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
  distinguishedBy:
    "The message says that the node was low on a resource, or had a condition. An eviction over the pod's own limit names the pod, its volume or its containers.",
  settledBy: ['kubernetes/pods', 'kubernetes/events', 'journal'],
  isProvenByStatus: true,
  weigh: (d) => {
    const { node, rejected, own } = evictions(d)
    return [
      ...supports(0.97, node),
      ...supports(0.92, wasRunning(d) ? rejected : []),
      ...supports(
        WEIGHT.medium,
        node.length + rejected.length > 0
          ? [...d.nodeClues('node-reclaims', 'eviction-manager'), ...d.subjectClues('short-grace')]
          : [],
      ),
      ...contradicts(own),
      ...contradicts(hasSucceeded(d)),
      ...contradicts(leftBeforeEviction(d)),
      ...limitedByUnknownState(d),
    ]
  },
  actor: () => 'kubelet',
  sentence: (d) =>
    `The kubelet ended ${thePod(d)}${whileWorking(d)} because ${theNode(d)} was short of ${clueField(d, 'evicted-for-node', 'resource') ?? lacking(clueField(d, 'rejected-for-node-condition', 'condition'))}.`,
  next: (d) => {
    const what = `${clueField(d, 'evicted-for-node', 'resource') ?? ''} ${clueField(d, 'rejected-for-node-condition', 'condition') ?? ''} ${d.pod?.message ?? ''}`
    if (/memory/i.test(what))
      return ['Set memory requests equal to limits, so that the scheduler does not overcommit the node.']
    if (/pid/i.test(what)) return ['Set podPidsLimit on the node: one pod used up the process ids of all.']
    return [
      `Find what filled the disk of ${theNode(d)} (images, emptyDir, logs): "was using" in the message does not count emptyDir. Give runners ephemeral-storage requests and limits.`,
    ]
  },
}
