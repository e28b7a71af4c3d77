import type { Signature } from '#/core/evidence/signature.ts'

export const selfUpdate: Signature = {
  id: 'self-update',
  says: 'The runner exits to update itself.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex:
        /Runner update in progress, do not shutdown runner|Runner will exit shortly for update, should be back online within 10 seconds|Refresh message received, kick-off selfupdate/,
      literals: [
        'unner will exit shortly for update, should be back online within 10 seconds',
        'unner update in progress, do not shutdown runner',
        'efresh message received, kick-off selfupdate',
      ],
      strength: 'decisive',
      examples: {
        matches: ['Runner update in progress, do not shutdown runner.'],
        rejects: ["[INFO Runner] Service requests the hosted runner to shutdown. Reason: 'x'."],
      },
    },
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /Runner update failed: (?<why>.+)/,
      literals: ['Runner update failed: '],
      strength: 'strong',
      examples: {
        matches: ['Runner update failed: No space left on device'],
        rejects: ['Runner update in progress, do not shutdown runner.'],
      },
    },
  ],
}
