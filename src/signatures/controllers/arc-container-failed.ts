import type { Signature } from '#/core/evidence/signature.ts'

export const arcContainerFailed: Signature = {
  id: 'arc-container-failed',
  says: 'ARC saw the container of a runner fail.',
  patterns: [
    {
      streams: ['controller-log'],
      regex: /Ephemeral runner container (?:failed|has failed)/,
      literals: ['Ephemeral runner container '],
      strength: 'strong',
      examples: {
        matches: ['Ephemeral runner container failed {"exitCode": 137}'],
        rejects: ['Pod is in failed phase, inspecting runner container status {"podReason": "Evicted"}'],
      },
    },
  ],
}
