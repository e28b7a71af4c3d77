import type { Signature } from '#/core/evidence/signature.ts'

export const graceExceeded: Signature = {
  id: 'grace-exceeded',
  says: 'The container runtime did not stop the pod within its grace period.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['ExceededGracePeriod'],
      regex: /^Container runtime did not kill the pod within specified grace period\./,
      literals: ['Container runtime did not kill the pod within specified grace period.'],
      strength: 'strong',
      examples: {
        matches: ['Container runtime did not kill the pod within specified grace period.'],
        rejects: ['Pod was active on the node longer than the specified deadline'],
      },
    },
  ],
}
