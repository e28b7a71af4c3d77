import type { Signature } from '#/core/evidence/signature.ts'

export const unschedulable: Signature = {
  id: 'unschedulable',
  says: 'The scheduler found no node for the pod.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['FailedScheduling'],
      regex: /^\d+\/\d+ nodes are available: /,
      literals: [' nodes are available: '],
      strength: 'decisive',
      examples: {
        matches: ['0/3 nodes are available: 3 Insufficient ephemeral-storage.'],
        rejects: ['Attempting to reclaim ephemeral-storage'],
      },
    },
  ],
}
