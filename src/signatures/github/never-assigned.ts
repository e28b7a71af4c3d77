import type { Signature } from '#/core/evidence/signature.ts'

export const neverAssigned: Signature = {
  id: 'never-assigned',
  says: 'No runner took the job in time.',
  patterns: [
    {
      streams: ['annotation', 'job-log'],
      regex: /The job has exceeded the maximum execution time while awaiting a runner for (?<time>\S+)/,
      literals: ['The job has exceeded the maximum execution time while awaiting a runner for '],
      strength: 'decisive',
      examples: {
        matches: ['The job has exceeded the maximum execution time while awaiting a runner for 24h0m0s'],
        rejects: ['The job running on runner x has exceeded the maximum execution time of 360 minutes.'],
      },
    },
    {
      streams: ['annotation', 'job-log'],
      regex:
        /This request was automatically failed because there were no enabled runners online to process the request for more than (?<days>\d+) days?/,
      literals: [
        'This request was automatically failed because there were no enabled runners online to process the request for more than ',
      ],
      strength: 'decisive',
      examples: {
        matches: [
          'This request was automatically failed because there were no enabled runners online to process the request for more than 1 days.',
        ],
        rejects: ['The job was not acquired by Runner of type hosted even after multiple attempts'],
      },
    },
  ],
}
