import type { Signature } from '#/core/evidence/signature.ts'

export const arcRunnerKilled: Signature = {
  id: 'arc-runner-killed',
  says: 'ARC saw a runner end with a job still on it.',
  patterns: [
    {
      streams: ['controller-log'],
      regex: /Ephemeral runner either has faulty entrypoint or something external killing the runner/,
      literals: ['Ephemeral runner either has faulty entrypoint or something external killing the runner'],
      strength: 'decisive',
      examples: {
        matches: ['Ephemeral runner either has faulty entrypoint or something external killing the runner'],
        rejects: ['Ephemeral runner container failed {"exitCode": 137}'],
      },
    },
  ],
}
