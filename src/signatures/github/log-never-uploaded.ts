import type { Signature } from '#/core/evidence/signature.ts'

export const logNeverUploaded: Signature = {
  id: 'log-never-uploaded',
  says: 'GitHub has no log: the runner ended before it could upload one.',
  patterns: [
    {
      streams: ['job-log'],
      regex: /<Code>BlobNotFound<\/Code>/,
      literals: ['<Code>BlobNotFound</Code>'],
      strength: 'strong',
      examples: {
        matches: ['<Error><Code>BlobNotFound</Code><Message>The specified blob does not exist.</Message></Error>'],
        rejects: [
          'This request was automatically failed because there were no enabled runners online to process the request for more than 1 days.',
        ],
      },
    },
  ],
}
