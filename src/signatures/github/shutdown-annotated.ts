import type { Signature } from '#/core/evidence/signature.ts'

export const shutdownAnnotated: Signature = {
  id: 'shutdown-annotated',
  says: 'The runner reported to GitHub that it received a shutdown signal.',
  patterns: [
    {
      streams: ['annotation', 'job-log'],
      regex:
        /The runner has received a shutdown signal\. This can happen when the runner service is stopped, or a manually started runner is canceled\./,
      literals: [
        'The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually started runner is canceled.',
      ],
      strength: 'decisive',
      examples: {
        matches: [
          'The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually started runner is canceled.',
        ],
        rejects: ['The job running on runner x has exceeded the maximum execution time of 360 minutes.'],
      },
    },
  ],
}
