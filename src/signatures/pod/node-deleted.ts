import type { Signature } from '#/core/evidence/signature.ts'

export const nodeDeleted: Signature = {
  id: 'node-deleted',
  says: 'The Node object was deleted: its machine is gone, or someone removed it.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['DeletingNode', 'RemovingNode', 'DeletingAllPods', 'NodeDeleted'],
      regex:
        /^Deleting [Nn]ode \S+ because (?<why>.+)$|Removing Node \S+ from (?:NodeC|C)ontroller|^Node \S+ event: (?:Removing|Deleting)/,
      literals: ['eleting node ', 'eleting Node ', 'emoving Node ', ' event: Deleting'],
      strength: 'medium',
      caution: 'Normal after a drain: an autoscaler deletes the node when its pods have ended.',
      examples: {
        matches: [
          'Deleting node ci-4fq2s because it does not exist in the cloud provider',
          "Deleting Node ip-10-0-0-1 because it's not present according to cloud provider",
          'Node ci-4fq2s event: Removing Node ci-4fq2s from Controller',
        ],
        rejects: ['Node ci-4fq2s event: Registered Node ci-4fq2s in Controller'],
      },
    },
  ],
}
