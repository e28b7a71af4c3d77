import type { Signature } from '#/core/evidence/signature.ts'

export const podDeadline: Signature = {
  id: 'pod-deadline',
  says: 'The pod ran longer than its own deadline.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['DeadlineExceeded'],
      regex: /^Pod was active on the node longer than the specified deadline$/,
      literals: ['Pod was active on the node longer than the specified deadline'],
      strength: 'decisive',
      examples: {
        matches: ['Pod was active on the node longer than the specified deadline'],
        rejects: ['Job was active longer than specified deadline'],
      },
    },
  ],
}
