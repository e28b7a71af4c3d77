import type { Signature } from '#/core/evidence/signature.ts'

export const orphanReaped: Signature = {
  id: 'orphan-reaped',
  says: 'A clean-up controller deleted a pod that it classed as an orphan.',
  patterns: [
    {
      streams: ['controller-log'],
      regex: /reaped orphaned stamped pod/,
      literals: ['reaped orphaned stamped pod'],
      strength: 'decisive',
      examples: {
        matches: ['runners: reaped orphaned stamped pod'],
        rejects: ['runner pod terminated pod=r-1 exitCode=9 signal=0 reason=Error'],
      },
    },
  ],
}
