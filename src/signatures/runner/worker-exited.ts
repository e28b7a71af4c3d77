import type { Signature } from '#/core/evidence/signature.ts'

export const workerExited: Signature = {
  id: 'worker-exited',
  says: 'The worker of the job ended with an exit code.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Worker finished for job (?<request>[0-9a-f-]+)\. Code: (?<code>\d+)/,
      literals: ['Worker finished for job '],
      strength: 'decisive',
      examples: {
        matches: [
          '[RUNNER 2025-06-10 21:32:38Z INFO JobDispatcher] Worker finished for job 55a0cdf0-ff04-58b9-9ff6-d09fa3efe876. Code: 100',
        ],
        rejects: [
          '[RUNNER 2025-06-10 21:32:38Z INFO JobDispatcher] finish job request for job 55a0cdf0-ff04-58b9-9ff6-d09fa3efe876 with result: Succeeded',
        ],
      },
    },
  ],
}
