import type { Signature } from '#/core/evidence/signature.ts'

export const githubUnreachable: Signature = {
  id: 'github-unreachable',
  says: 'The runner cannot reach GitHub.',
  patterns: [
    {
      streams: ['runner-log', 'job-log', 'annotation'],
      regex: /: Runner connect error: (?<why>.+?)\. Retrying until reconnected/,
      literals: ['. Retrying until reconnected'],
      strength: 'strong',
      examples: {
        matches: [
          '2026-06-06 21:30:14Z: Runner connect error: Name or service not known (broker.actions.githubusercontent.com:443). Retrying until reconnected.',
        ],
        rejects: ['2026-06-06 21:31:14Z: Runner reconnected.'],
      },
    },
    {
      streams: ['runner-log'],
      regex: /Back off [\d.]+ seconds before next retry\. (?<left>\d+) attempt left/,
      literals: [' seconds before next retry. '],
      strength: 'medium',
      examples: {
        matches: ['[WARN BrokerServer] Back off 11.2 seconds before next retry. 4 attempt left.'],
        rejects: ['[INFO Listener] Runner execution been cancelled.'],
      },
    },
  ],
}
