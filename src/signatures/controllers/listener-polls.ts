import type { Signature } from '#/core/evidence/signature.ts'

export const listenerPolls: Signature = {
  id: 'listener-polls',
  says: 'The listener has its session and polls for messages.',
  patterns: [
    {
      streams: ['controller-log'],
      regex: /Current runner scale set statistics\.|Getting next message\b/i,
      literals: ['Current runner scale set statistics.', 'Getting next message'],
      strength: 'context',
      examples: {
        matches: [
          'INFO listener-app.listener Getting next message {"lastMessageID": 0}',
          'INFO listener-app.listener Current runner scale set statistics. {"statistics": "{\\"totalAvailableJobs\\":0}"}',
        ],
        rejects: ['INFO listener-app.listener Unable to create message session. Will try again in 30 seconds'],
      },
    },
  ],
}
