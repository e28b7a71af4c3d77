import type { Signature } from '#/core/evidence/signature.ts'

export const stepTimedOut: Signature = {
  id: 'step-timed-out',
  says: 'A step exceeded its own time limit.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex: /The action '(?<step>.+)' has timed out after (?<minutes>\d+) minutes/,
      literals: ["' has timed out after "],
      strength: 'decisive',
      examples: {
        matches: ["The action 'Build' has timed out after 30 minutes."],
        rejects: [
          "The local machine's clock may be out of sync with the server time by more than five minutes. Please sync your clock",
        ],
      },
    },
  ],
}
