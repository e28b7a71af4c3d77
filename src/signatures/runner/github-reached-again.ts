import type { Signature } from '#/core/evidence/signature.ts'

export const githubReachedAgain: Signature = {
  id: 'github-reached-again',
  says: 'The runner reached GitHub again.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /: Runner reconnected\./,
      literals: [': Runner reconnected.'],
      strength: 'context',
      caution: 'Contradicts the network as the cause of what came later.',
      examples: {
        matches: ['2026-06-06 21:31:14Z: Runner reconnected.'],
        rejects: ['2026-06-06 21:30:14Z: Running job: build (ubuntu)'],
      },
    },
  ],
}
