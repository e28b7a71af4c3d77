import type { Signature } from '#/core/evidence/signature.ts'

export const nodeReclaims: Signature = {
  id: 'node-reclaims',
  says: 'The kubelet reclaims a resource of the node.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['EvictionThresholdMet'],
      regex: /^Attempting to reclaim (?<resource>\S+)/,
      literals: ['Attempting to reclaim '],
      strength: 'strong',
      examples: {
        matches: ['Attempting to reclaim ephemeral-storage'],
        rejects: ['0/3 nodes are available: 3 Insufficient ephemeral-storage.'],
      },
    },
  ],
}
