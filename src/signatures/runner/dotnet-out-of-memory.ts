import type { Signature } from '#/core/evidence/signature.ts'

export const dotnetOutOfMemory: Signature = {
  id: 'dotnet-out-of-memory',
  says: 'The runner itself could not allocate memory.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /System\.OutOfMemoryException|HRESULT: 0x8007000E/,
      literals: ['System.OutOfMemoryException', 'HRESULT: 0x8007000E'],
      strength: 'strong',
      examples: {
        matches: ['System.OutOfMemoryException: Exception of type System.OutOfMemoryException was thrown.'],
        rejects: ['Stop retry on SessionConflictException after retried for 240 seconds.'],
      },
    },
  ],
}
