import type { Signature } from '#/core/evidence/signature.ts'

export const karpenterEvicts: Signature = {
  id: 'karpenter-evicts',
  says: 'Karpenter evicts the pod.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Evicted'],
      regex: /^Evicted pod: (?<why>.+)$/,
      literals: ['Evicted pod: '],
      strength: 'decisive',
      examples: {
        matches: ['Evicted pod: Underutilized'],
        rejects: ['Disrupting Node: Empty'],
      },
    },
  ],
}
