import type { Signature } from '#/core/evidence/signature.ts'

export const jobFailedByIo: Signature = {
  id: 'job-failed-by-io',
  says: 'The runner failed the job because of its own IO error.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Finish job with result 'Failed' due to IOException/,
      literals: ["Finish job with result 'Failed' due to IOException"],
      strength: 'strong',
      examples: {
        matches: ["[INFO JobDispatcher] Finish job with result 'Failed' due to IOException."],
        rejects: ['[ERR  JobDispatcher] Fail to raise job completion back to service.'],
      },
    },
  ],
}
