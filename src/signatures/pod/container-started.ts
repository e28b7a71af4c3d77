import type { Signature } from '#/core/evidence/signature.ts'

export const containerStarted: Signature = {
  id: 'container-started',
  says: 'The container was started.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Started'],
      regex: /^(?:Container started|Started container (?<container>\S+))$/,
      literals: ['Started container ', 'Container started'],
      strength: 'context',
      examples: {
        matches: ['Container started'],
        rejects: ['Container created'],
      },
    },
  ],
}
