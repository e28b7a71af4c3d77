import type { Signature } from '#/core/evidence/signature.ts'

export const arcRolloverWaits: Signature = {
  id: 'arc-rollover-waits',
  says: 'ARC waits for runners to finish before it rolls over.',
  patterns: [
    {
      streams: ['controller-log'],
      regex: /Waiting for the running and pending runners to finish/,
      literals: ['Waiting for the running and pending runners to finish'],
      strength: 'strong',
      examples: {
        matches: ['Waiting for the running and pending runners to finish'],
        rejects: ['Ephemeral runner container failed {"exitCode": 137}'],
      },
    },
  ],
}
