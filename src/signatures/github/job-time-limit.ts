import type { Signature } from '#/core/evidence/signature.ts'

export const jobTimeLimit: Signature = {
  id: 'job-time-limit',
  says: 'The job ran longer than its time limit.',
  patterns: [
    {
      streams: ['annotation', 'job-log'],
      regex:
        /The job (?:running on runner .+ )?has exceeded the maximum execution time of (?:(?<minutes>\d+) ?min(?:ute)?s?\b|(?<duration>\d[\d.:]{0,12} ?(?:[hms]|hours?|seconds?)?[\dhms]{0,12}))/,
      literals: ['has exceeded the maximum execution time of '],
      strength: 'decisive',
      examples: {
        matches: [
          'The job running on runner x has exceeded the maximum execution time of 360 minutes.',
          'The job has exceeded the maximum execution time of 1h0m0s',
          'The job has exceeded the maximum execution time of 6 hours',
        ],
        rejects: ['The job has exceeded the maximum execution time while awaiting a runner for 24h0m0s'],
      },
    },
  ],
}
