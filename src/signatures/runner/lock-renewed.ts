import type { Signature } from '#/core/evidence/signature.ts'

export const lockRenewed: Signature = {
  id: 'lock-renewed',
  says: 'The runner renewed its job lock: it was alive and reached GitHub.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Successfully renew job (?:request )?(?<request>\S+), job is valid till (?<until>.+)$/,
      literals: ['Successfully renew job '],
      strength: 'context',
      examples: {
        matches: [
          '[2025-02-12 11:40:12Z INFO JobDispatcher] Successfully renew job request 527161, job is valid till 02/12/2025 11:50:12',
        ],
        rejects: [
          '[INFO JobDispatcher] Unable to renew job request for job 55a0 for the first time, stop dispatching job to worker.',
        ],
      },
    },
  ],
}
