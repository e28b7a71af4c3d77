import type { Signature } from '#/core/evidence/signature.ts'

export const rejectedForNodeCondition: Signature = {
  id: 'rejected-for-node-condition',
  says: 'The kubelet rejected the pod because of a node condition.',
  patterns: [
    {
      streams: ['event'],
      regex: /The node had condition: \[(?<condition>[^\]]+)\]/,
      literals: ['The node had condition: ['],
      strength: 'decisive',
      examples: {
        matches: ['Pod was rejected: The node had condition: [DiskPressure]. '],
        rejects: ['The node was low on resource: memory. Threshold quantity: 100Mi, available: 71660Ki. '],
      },
    },
    {
      streams: ['kubelet'],
      regex: /"Pod admission denied"/,
      literals: ['"Pod admission denied"'],
      strength: 'strong',
      examples: {
        matches: [
          '"Pod admission denied" pod="arc-runners/linux-8g-k2xvq-runner-7hn4d" reason="Evicted" message="The node had condition: [DiskPressure]. " operation="add"',
        ],
        rejects: ['"Failed to admit pod to node" pod="arc-runners/linux-8g-k2xvq-runner-7hn4d"'],
      },
    },
  ],
}
