import type { Signature } from '#/core/evidence/signature.ts'

export const forkFailed: Signature = {
  id: 'fork-failed',
  says: 'A process of the job could not start another one.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex:
        /Cannot fork|fork: (?:retry: )?Resource temporarily unavailable|pthread_create: Resource temporarily unavailable/,
      literals: ['Resource temporarily unavailable', 'Cannot fork'],
      strength: 'strong',
      examples: {
        matches: ['bash: fork: retry: Resource temporarily unavailable'],
        rejects: ["error: builder for '/nix/store/x.drv' failed due to signal 9 (Killed)"],
      },
    },
  ],
}
