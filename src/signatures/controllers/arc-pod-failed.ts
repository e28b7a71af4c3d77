import type { Signature } from '#/core/evidence/signature.ts'

export const arcPodFailed: Signature = {
  id: 'arc-pod-failed',
  says: 'ARC checks a pod that failed.',
  patterns: [
    {
      streams: ['controller-log'],
      regex: /Pod is in failed phase, inspecting runner container status/,
      literals: ['Pod is in failed phase, inspecting runner container status'],
      strength: 'strong',
      examples: {
        matches: ['Pod is in failed phase, inspecting runner container status {"podReason": "Evicted"}'],
        rejects: ['Ephemeral runner container failed {"exitCode": 137}'],
      },
    },
  ],
}
