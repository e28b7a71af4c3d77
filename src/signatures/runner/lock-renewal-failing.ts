import type { Signature } from '#/core/evidence/signature.ts'

export const lockRenewalFailing: Signature = {
  id: 'lock-renewal-failing',
  says: 'A renewal of the job lock failed.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /Catch exception during renew runner job(?:request)? /,
      literals: ['Catch exception during renew runner job'],
      strength: 'medium',
      examples: {
        matches: ['[ERR  JobDispatcher] Catch exception during renew runner job 55a0cdf0.'],
        rejects: ['[ERR  JobDispatcher] Fail to raise job completion back to service.'],
      },
    },
  ],
}
