import type { Signature } from '#/core/evidence/signature.ts'

export const karpenterDisrupts: Signature = {
  id: 'karpenter-disrupts',
  says: 'Karpenter removes the node.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['DisruptionTerminating', 'Disrupted', 'Disrupting', 'DisruptionBlocked'],
      regex: /^Disrupting (?:Node|NodeClaim): (?<why>.+)$|Deleting the pod to accommodate the terminationTime/,
      literals: ['Deleting the pod to accommodate the terminationTime', 'Disrupting Node'],
      strength: 'decisive',
      examples: {
        matches: ['Disrupting Node: Empty'],
        rejects: ['Ephemeral runner container failed {"exitCode": 137}'],
      },
    },
  ],
}
