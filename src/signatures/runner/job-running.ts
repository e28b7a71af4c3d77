import type { Signature } from '#/core/evidence/signature.ts'

export const jobRunning: Signature = {
  id: 'job-running',
  says: 'The runner logs that it runs a job.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ): Running job: (?<job>.+)$/,
      literals: [': Running job: '],
      strength: 'context',
      examples: {
        matches: ['2026-06-06 21:30:14Z: Running job: build (ubuntu)'],
        rejects: ['2026-06-06 21:30:14Z: Job build (ubuntu) completed with result: Succeeded'],
      },
    },
  ],
}
