import type { Signature } from '#/core/evidence/signature.ts'

export const arcRemovesIdle: Signature = {
  id: 'arc-removes-idle',
  says: 'ARC removes an idle runner: an ordinary scale-down, or a new specification of the set.',
  patterns: [
    {
      streams: ['controller-log'],
      regex: /Removing the idle ephemeral runner|Deleting ephemeral runner after removing from the service/,
      literals: ['Removing the idle ephemeral runner', 'Deleting ephemeral runner after removing from the service'],
      strength: 'strong',
      examples: {
        matches: [
          'Removing the idle ephemeral runner {"name": "linux-x-runner-2kxhd"}',
          'Removing the idle ephemeral runner from the service {"name": "linux-x-runner-2kxhd"}',
        ],
        rejects: ['Removed the runner from the service {"runnerId": 12}'],
      },
    },
  ],
}
