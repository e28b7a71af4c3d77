import type { Signature } from '#/core/evidence/signature.ts'

export const hostFilesExhausted: Signature = {
  id: 'host-files-exhausted',
  says: 'The host reached its limit of open files.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex: /\bENFILE\b|file table overflow|spawn \S+ ENFILE|Too many open files in system/,
      literals: ['Too many open files in system', 'file table overflow', 'ENFILE'],
      strength: 'strong',
      examples: {
        matches: ['Error: spawn ps ENFILE'],
        rejects: ["Error: EMFILE: too many open files, open '/home/runner/x'"],
      },
    },
  ],
}
