import type { Signature } from '#/core/evidence/signature.ts'

export const clockSkew: Signature = {
  id: 'clock-skew',
  says: 'The runner clock is off by more than five minutes.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /clock may be out of sync with the server time by more than five minutes/,
      literals: ['clock may be out of sync with the server time by more than five minutes'],
      strength: 'decisive',
      examples: {
        matches: [
          "The local machine's clock may be out of sync with the server time by more than five minutes. Please sync your clock",
        ],
        rejects: ["The action 'Build' has timed out after 30 minutes."],
      },
    },
  ],
}
