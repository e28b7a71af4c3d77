import type { Signature } from '#/core/evidence/signature.ts'

export const arcSawSuccess: Signature = {
  id: 'arc-saw-success',
  says: 'ARC saw that the runner ended with exit code 0.',
  patterns: [
    {
      streams: ['controller-log'],
      regex:
        /Ephemeral runner has finished successfully|Runner container has succeeded but pod is in failed phase|EphemeralRunner has already finished\b.{0,200}"phase": ?"Succeeded"/,
      literals: [
        'Ephemeral runner has finished successfully',
        'Runner container has succeeded but pod is in failed phase',
        'EphemeralRunner has already finished',
      ],
      strength: 'medium',
      examples: {
        matches: ['Ephemeral runner has finished successfully, deleting ephemeral runner {"exitCode": 0}'],
        rejects: ['Ephemeral runner container failed {"exitCode": 137}'],
      },
    },
  ],
}
