import type { Signature } from '#/core/evidence/signature.ts'

export const evictedForOwnLimit: Signature = {
  id: 'evicted-for-own-limit',
  says: 'The kubelet evicted the pod because it exceeded its own storage limit.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Evicted'],
      regex:
        /exceeded its local ephemeral storage limit "(?<limit>[^"]+)"|Pod ephemeral local storage usage exceeds the total limit of containers (?<total>\S+)\.|Usage of EmptyDir volume "(?<volume>[^"]+)" exceeds the limit "(?<size>[^"]+)"/,
      literals: [
        'Pod ephemeral local storage usage exceeds the total limit of containers ',
        'exceeded its local ephemeral storage limit "',
        'Usage of EmptyDir volume "',
      ],
      strength: 'decisive',
      caution: 'The pod exceeded its own limit; the node may be healthy.',
      examples: {
        matches: ['Usage of EmptyDir volume "work" exceeds the limit "64Mi". '],
        rejects: [
          'The node was low on resource: ephemeral-storage. Threshold quantity: 10057513974, available: 9670764Ki. ',
        ],
      },
    },
  ],
}
