import type { Signature } from '#/core/evidence/signature.ts'

export const renewalNullReference: Signature = {
  id: 'renewal-null-reference',
  says: 'The runner crashed on a failed renewal, which abandons a healthy job.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /System\.NullReferenceException: Object reference not set to an instance of an object/,
      literals: ['System.NullReferenceException: Object reference not set to an instance of an object'],
      strength: 'strong',
      caution: 'Counts only within seconds of a failed renewal and before the job was abandoned.',
      examples: {
        matches: ['System.NullReferenceException: Object reference not set to an instance of an object.'],
        rejects: ['GitHub.Runner.Common.NonRetryableException: Get next message failed with non-retryable error.'],
      },
    },
  ],
}
