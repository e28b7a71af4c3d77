import type { Signature } from '#/core/evidence/signature.ts'

export const evictedForNode: Signature = {
  id: 'evicted-for-node',
  says: 'The kubelet evicted the pod because the node was short of a resource.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Evicted'],
      regex:
        /^The node was low on resource: (?<resource>[\w.-]+)\. (?:Threshold quantity: (?<threshold>[^,]+), available: (?<available>[^.]+)\.)?/,
      literals: ['The node was low on resource: '],
      strength: 'decisive',
      examples: {
        matches: [
          'The node was low on resource: ephemeral-storage. Threshold quantity: 10057513974, available: 9670764Ki. ',
        ],
        rejects: ['Usage of EmptyDir volume "work" exceeds the limit "64Mi". '],
      },
    },
  ],
}
