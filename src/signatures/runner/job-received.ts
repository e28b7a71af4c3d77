import type { Signature } from '#/core/evidence/signature.ts'

export const jobReceived: Signature = {
  id: 'job-received',
  says: 'The runner received a job.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Job request \d+ for plan [0-9a-f-]+ job (?<request>[0-9a-f-]+) received\./,
      literals: ['Job request '],
      strength: 'context',
      examples: {
        matches: [
          '[2026-06-06 21:30:14Z INFO JobDispatcher] Job request 0 for plan 1c5a8b0e-0000-0000-0000-000000000000 job 55a0cdf0-ff04-58b9-9ff6-d09fa3efe876 received.',
        ],
        rejects: [
          '[RUNNER 2025-06-10 21:32:38Z INFO JobDispatcher] finish job request for job 55a0cdf0-ff04-58b9-9ff6-d09fa3efe876 with result: Succeeded',
        ],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Received job message of length \d+ from service, with hash '/,
      literals: ['Received job message of length '],
      strength: 'context',
      examples: {
        matches: [
          "[2026-06-06 21:30:14Z INFO Runner] Received job message of length 9000 from service, with hash 'abc'",
        ],
        rejects: ['[WORKER 2026-06-06 21:30:14Z INFO Worker] Cancellation/Shutdown message received.'],
      },
    },
  ],
}
