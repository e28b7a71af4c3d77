import type { Signature } from '#/core/evidence/signature.ts'

export const mustNotRunAsRoot: Signature = {
  id: 'must-not-run-as-root',
  says: 'The runner refuses to run as root.',
  patterns: [
    {
      streams: ['runner-log'],
      regex: /^Must not run interactively with sudo$/,
      literals: ['Must not run interactively with sudo'],
      strength: 'decisive',
      examples: {
        matches: ['Must not run interactively with sudo'],
        rejects: ['A session for this runner already exists.'],
      },
    },
  ],
}
