import type { Signature } from '#/core/evidence/signature.ts'

export const notAuthorized: Signature = {
  id: 'not-authorized',
  says: "GitHub refuses the runner's credential.",
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /You are not authorized to access (?<url>https?:\/\/\S+)/,
      literals: ['You are not authorized to access '],
      strength: 'decisive',
      examples: {
        matches: [
          'GitHub.Services.Common.VssUnauthorizedException: You are not authorized to access https://broker.actions.githubusercontent.com.',
        ],
        rejects: ['GitHub.Runner.Common.NonRetryableException: Get next message failed with non-retryable error.'],
      },
    },
  ],
}
