import type { Signature } from '#/core/evidence/signature.ts'

export const interrupted: Signature = {
  id: 'interrupted',
  says: 'A tool of the job was interrupted.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex: /error: interrupted by the user/,
      literals: ['error: interrupted by the user'],
      strength: 'strong',
      examples: {
        matches: ['error: interrupted by the user'],
        rejects: ["error: builder for '/nix/store/x.drv' failed due to signal 9 (Killed)"],
      },
    },
  ],
}
