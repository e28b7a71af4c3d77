import type { Signature } from '#/core/signature.ts'

export const registrationRateLimited: Signature = {
  id: 'registration-rate-limited',
  says: 'The credential has used up its API budget.',
  patterns: [
    {
      streams: ['controller-log'],
      regex:
        /failed to get runner registration token \(403 Forbidden\): API rate limit exceeded for user ID (?<user>\d+)/,
      literals: ['failed to get runner registration token (403 Forbidden): API rate limit exceeded for user ID '],
      strength: 'decisive',
      examples: {
        matches: ['failed to get runner registration token (403 Forbidden): API rate limit exceeded for user ID 12345'],
        rejects: ['Ephemeral runner container failed {"exitCode": 137}'],
      },
    },
  ],
}
