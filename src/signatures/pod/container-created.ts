import type { Signature } from '#/core/evidence/signature.ts'

export const containerCreated: Signature = {
  id: 'container-created',
  says: 'The container was created.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Created'],
      regex: /^(?:Container created|Created container:? ?(?<container>\S*))$/,
      literals: ['ontainer created', 'reated container'],
      strength: 'context',
      examples: {
        matches: ['Container created'],
        rejects: ['Container started'],
      },
    },
  ],
}
