import type { Signature } from '#/core/evidence/signature.ts'

export const jobDroppedByServer: Signature = {
  id: 'job-dropped-by-server',
  says: 'GitHub closed the job while the runner had it.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /(?<why>\w{1,80}Exception) received(?: (?:when )?renew job\b|, job \S{1,80} is no longer valid)/,
      literals: ['Exception received'],
      strength: 'decisive',
      examples: {
        matches: [
          '[INFO JobDispatcher] TaskOrchestrationJobNotFoundException received when renew job b040523a, job is no longer valid, stop renew job request.',
          '[INFO JobDispatcher] TaskAgentJobTokenExpiredException received renew job request 7, job is no longer valid, stop renew job request.',
          '[INFO JobDispatcher] TaskAgentJobNotFoundException received when renew job 55a0, job is no longer valid, stop renew job request.',
        ],
        rejects: ['[INFO JobDispatcher] Lock renewal has run out of retry, stop renew lock for jobrequest 7689.'],
      },
    },
  ],
}
