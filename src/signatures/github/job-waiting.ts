import type { Signature } from '#/core/evidence/signature.ts'

export const jobWaiting: Signature = {
  id: 'job-waiting',
  says: 'The job waits for a runner, according to GitHub.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex: /Waiting for a runner to pick up this job/,
      literals: ['Waiting for a runner to pick up this job'],
      strength: 'context',
      examples: {
        matches: ['Waiting for a runner to pick up this job...'],
        rejects: ['The job running on runner x has exceeded the maximum execution time of 360 minutes.'],
      },
    },
  ],
}
