import type { Signature } from '#/core/evidence/signature.ts'

export const registrationRateLimited: Signature = {
  id: 'registration-rate-limited',
  says: 'The credential has used up its API budget.',
  patterns: [
    {
      streams: ['controller-log', 'runner-log', 'job-log'],
      regex:
        /API rate limit (?:already )?exceeded(?: for (?:user|installation) ID (?<user>\d+))?|exceeded a secondary rate limit|x-ratelimit-remaining: 0\b|triggered an abuse detection mechanism/i,
      literals: [
        'API rate limit ',
        'exceeded a secondary rate limit',
        'x-ratelimit-remaining: 0',
        'triggered an abuse detection mechanism',
      ],
      strength: 'decisive',
      caution: 'A job can print it too: it counts only for a runner that never had one.',
      examples: {
        matches: [
          'failed to get runner registration token (403 Forbidden): API rate limit exceeded for user ID 12345',
          'failed to get runner registration token (403 Forbidden): API rate limit exceeded for installation ID 40112233',
          'API rate limit exceeded for installation. If you reach out to GitHub Support for help, please include the request ID',
          'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
          'X-RateLimit-Remaining: 0',
        ],
        rejects: ['x-ratelimit-remaining: 4127', 'toomanyrequests: You have reached your pull rate limit.'],
      },
    },
  ],
}
