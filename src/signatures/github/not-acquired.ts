import type { Signature } from '#/core/evidence/signature.ts'

export const notAcquired: Signature = {
  id: 'not-acquired',
  says: 'GitHub could not hand the job to a runner.',
  patterns: [
    {
      streams: ['annotation', 'job-log'],
      regex: /The job was not acquired by Runner of type (?<type>\S+) even after multiple attempts/,
      literals: ['The job was not acquired by Runner of type '],
      strength: 'decisive',
      examples: {
        matches: ['The job was not acquired by Runner of type hosted even after multiple attempts'],
        rejects: [
          'This request was automatically failed because there were no enabled runners online to process the request for more than 1 days.',
        ],
      },
    },
  ],
}
