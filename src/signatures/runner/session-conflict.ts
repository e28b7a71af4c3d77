import type { Signature } from '#/core/evidence/signature.ts'

export const sessionConflict: Signature = {
  id: 'session-conflict',
  says: 'Another session for this runner exists at GitHub.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /(?:A|The) session for this runner already exists\./,
      literals: [' session for this runner already exists.'],
      strength: 'decisive',
      examples: {
        matches: ['A session for this runner already exists.'],
        rejects: ["Skipping message Job. Job message already acquired 'x'."],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Stop retry on SessionConflictException after retried for (?<seconds>\d+) seconds/,
      literals: ['Stop retry on SessionConflictException after retried for '],
      strength: 'decisive',
      examples: {
        matches: ['Stop retry on SessionConflictException after retried for 240 seconds.'],
        rejects: ['System.OutOfMemoryException: Exception of type System.OutOfMemoryException was thrown.'],
      },
    },
  ],
}
