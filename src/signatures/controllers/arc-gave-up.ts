import type { Signature } from '#/core/evidence/signature.ts'

export const arcGaveUp: Signature = {
  id: 'arc-gave-up',
  says: 'ARC gives up on a runner that keeps failing.',
  patterns: [
    {
      streams: ['controller-log'],
      regex: /EphemeralRunner has failed more than (?<times>\d+) times/,
      literals: ['EphemeralRunner has failed more than '],
      strength: 'strong',
      examples: {
        matches: ['EphemeralRunner has failed more than 5 times. Deleting ephemeral runner so it can be re-created'],
        rejects: ['Pod is in failed phase, inspecting runner container status {"podReason": "Evicted"}'],
      },
    },
  ],
}
