import type { Signature } from '#/core/evidence/signature.ts'

export const plegUnhealthy: Signature = {
  id: 'pleg-unhealthy',
  says: 'The kubelet lost track of its containers (PLEG).',
  patterns: [
    {
      streams: ['kubelet'],
      regex: /PLEG is not healthy: pleg was last seen active (?<since>\S+) ago; threshold is (?<threshold>\S+)/,
      literals: ['PLEG is not healthy: pleg was last seen active '],
      strength: 'decisive',
      examples: {
        matches: ['PLEG is not healthy: pleg was last seen active 3m12s ago; threshold is 3m0s'],
        rejects: ['Kernel panic - not syncing: Out of memory: compulsory panic_on_oom is enabled'],
      },
    },
  ],
}
