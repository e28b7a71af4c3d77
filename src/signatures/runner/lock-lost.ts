import type { Signature } from '#/core/evidence/signature.ts'

export const lockLost: Signature = {
  id: 'lock-lost',
  says: 'The runner could not renew the job lock and abandoned the job.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Lock renewal has run out of retry, stop renew lock for job/,
      literals: ['Lock renewal has run out of retry, stop renew lock for job'],
      strength: 'decisive',
      examples: {
        matches: ['[INFO JobDispatcher] Lock renewal has run out of retry, stop renew lock for jobrequest 7689.'],
        rejects: [
          '[INFO JobDispatcher] TaskAgentJobNotFoundException received when renew job 55a0, job is no longer valid, stop renew job request.',
        ],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Unable to renew job request for job \S+ for the first time, stop dispatching job to worker/,
      literals: [' for the first time, stop dispatching job to worker'],
      strength: 'decisive',
      examples: {
        matches: [
          '[INFO JobDispatcher] Unable to renew job request for job 55a0 for the first time, stop dispatching job to worker.',
        ],
        rejects: ['[INFO JobDispatcher] Job request message sending for job x been cancelled, kill running worker.'],
      },
    },
  ],
}
