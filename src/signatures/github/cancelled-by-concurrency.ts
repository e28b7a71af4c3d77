import type { Signature } from '#/core/evidence/signature.ts'

export const cancelledByConcurrency: Signature = {
  id: 'cancelled-by-concurrency',
  says: 'GitHub cancelled the job for a newer run of its concurrency group.',
  patterns: [
    {
      streams: ['annotation', 'job-log'],
      regex: /Canceling since a higher priority waiting request for '.+' exists/,
      literals: ["Canceling since a higher priority waiting request for '"],
      strength: 'decisive',
      examples: {
        matches: ["Canceling since a higher priority waiting request for 'ci-main' exists"],
        rejects: ["Operating system is shutting down for computer 'ip-10-0-0-1'"],
      },
    },
  ],
}
