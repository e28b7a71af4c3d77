import type { Signature } from '#/core/evidence/signature.ts'

export const registrationRateLimited: Signature = {
  id: 'registration-rate-limited',
  says: 'The credential has used up its API budget.',
  patterns: [
    {
      streams: ['controller-log'],
      regex: /API rate limit exceeded for (?:user|installation) ID (?<user>\d+)/,
      literals: ['API rate limit exceeded for '],
      strength: 'decisive',
      examples: {
        matches: [
          'failed to get runner registration token (403 Forbidden): API rate limit exceeded for user ID 12345',
          'failed to get runner registration token (403 Forbidden): API rate limit exceeded for installation ID 40112233',
        ],
        rejects: ['Ephemeral runner container failed {"exitCode": 137}'],
      },
    },
  ],
}
