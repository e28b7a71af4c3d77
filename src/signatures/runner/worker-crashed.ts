import type { Signature } from '#/core/evidence/signature.ts'

export const workerCrashed: Signature = {
  id: 'worker-crashed',
  says: 'The worker ended with an unhandled exception or a crash.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Return code (?<code>\d+) indicate worker encounter an unhandled exception or app crash/,
      literals: [' indicate worker encounter an unhandled exception or app crash'],
      strength: 'decisive',
      examples: {
        matches: [
          '[INFO JobDispatcher] Return code 137 indicate worker encounter an unhandled exception or app crash, attach worker stdout/stderr to JobRequest result.',
        ],
        rejects: [
          '[INFO JobDispatcher] TaskAgentJobNotFoundException received when renew job 55a0, job is no longer valid, stop renew job request.',
        ],
      },
    },
  ],
}
