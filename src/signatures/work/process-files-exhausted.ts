import type { Signature } from '#/core/evidence/signature.ts'

export const processFilesExhausted: Signature = {
  id: 'process-files-exhausted',
  says: 'A process reached its limit of open files.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex: /\bEMFILE\b|Too many open files(?! in system)/i,
      literals: ['Too many open files', 'EMFILE'],
      strength: 'strong',
      examples: {
        matches: ['Error: EMFILE: too many open files, watch'],
        rejects: ['java.io.IOException: Too many open files in system'],
      },
    },
  ],
}
