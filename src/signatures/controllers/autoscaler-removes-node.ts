import type { Signature } from '#/core/evidence/signature.ts'

export const autoscalerRemovesNode: Signature = {
  id: 'autoscaler-removes-node',
  says: 'The cluster autoscaler removes the node.',
  patterns: [
    {
      streams: ['controller-log', 'event'],
      regex: /ScaleDown|marked the node as toBeDeleted\/unschedulable|ToBeDeletedByClusterAutoscaler/,
      literals: ['marked the node as toBeDeleted/unschedulable', 'ToBeDeletedByClusterAutoscaler', 'ScaleDown'],
      strength: 'strong',
      examples: {
        matches: ['node removed by cluster autoscaler; ToBeDeletedByClusterAutoscaler'],
        rejects: ['runners: reaped orphaned stamped pod'],
      },
    },
  ],
}
