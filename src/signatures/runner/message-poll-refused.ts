import type { Signature } from '#/core/evidence/signature.ts'

export const messagePollRefused: Signature = {
  id: 'message-poll-refused',
  says: 'The runner could not poll for messages and will not retry.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Get next message failed with non-retryable error/,
      literals: ['Get next message failed with non-retryable error'],
      strength: 'strong',
      examples: {
        matches: ['GitHub.Runner.Common.NonRetryableException: Get next message failed with non-retryable error.'],
        rejects: [
          'GitHub.Services.Common.VssUnauthorizedException: You are not authorized to access https://broker.actions.githubusercontent.com.',
        ],
      },
    },
  ],
}
