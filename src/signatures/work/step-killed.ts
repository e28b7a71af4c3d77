import type { Signature } from '#/core/evidence/signature.ts'

export const stepKilled: Signature = {
  id: 'step-killed',
  says: 'A process of the job was killed by SIGKILL.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex: /builder (?:for '[^']+' )?failed due to signal 9|\bsignal 9\b.*Killed|^Killed$/m,
      literals: ['signal 9', 'Killed'],
      strength: 'medium',
      caution: 'Anything can kill a step, not only memory.',
      examples: {
        matches: ["error: builder for '/nix/store/x.drv' failed due to signal 9 (Killed)"],
        rejects: ['error: interrupted by the user'],
      },
    },
  ],
}
