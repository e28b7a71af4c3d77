import type { Signature } from '#/core/evidence/signature.ts'

export const jobDroppedByServer: Signature = {
  id: 'job-dropped-by-server',
  says: 'GitHub closed the job while the runner had it.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /(?<why>TaskAgentJobNotFoundException|TaskAgentJobTokenExpiredException) received (?:when )?renew job/,
      literals: ['TokenExpiredException', 'NotFoundException'],
      strength: 'decisive',
      examples: {
        matches: [
          '[INFO JobDispatcher] TaskAgentJobNotFoundException received when renew job 55a0, job is no longer valid, stop renew job request.',
        ],
        rejects: ['[INFO JobDispatcher] Lock renewal has run out of retry, stop renew lock for jobrequest 7689.'],
      },
    },
  ],
}
