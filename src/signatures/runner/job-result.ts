import type { Signature } from '#/core/evidence/signature.ts'

export const jobResult: Signature = {
  id: 'job-result',
  says: 'The runner logs the result of the job.',
  patterns: [
    {
      streams: ['runner-log'],
      regex:
        /finish job request for job (?<request>[0-9a-f-]+) with result: (?<result>Succeeded|SucceededWithIssues|Failed|Canceled|Skipped|Abandoned)/,
      literals: ['finish job request for job '],
      strength: 'decisive',
      examples: {
        matches: [
          '[RUNNER 2025-06-10 21:32:38Z INFO JobDispatcher] finish job request for job 55a0cdf0-ff04-58b9-9ff6-d09fa3efe876 with result: Succeeded',
        ],
        rejects: [
          '[RUNNER 2025-06-10 21:32:38Z INFO JobDispatcher] Worker finished for job 55a0cdf0-ff04-58b9-9ff6-d09fa3efe876. Code: 100',
        ],
      },
    },
    {
      streams: ['runner-log'],
      regex: /^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ): Job (?<job>.+) completed with result: (?<result>\w+)$/,
      literals: [' completed with result: '],
      strength: 'decisive',
      examples: {
        matches: ['2025-06-10 21:32:38Z: Job checks completed with result: Succeeded'],
        rejects: ['2026-06-06 21:30:14Z: Running job: build (ubuntu)'],
      },
    },
  ],
}
