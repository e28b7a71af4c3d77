import type { Signature } from '#/core/evidence/signature.ts'

export const stopSignalSent: Signature = {
  id: 'stop-signal-sent',
  says: 'The runtime sent the stop signal.',
  patterns: [
    {
      streams: ['containerd'],
      regex: /Stop container \\?"(?<container>[0-9a-f]+)\\?" with signal (?<signal>\w+)/,
      literals: ['Stop container '],
      strength: 'decisive',
      examples: {
        matches: [
          String.raw`time="2026-11-15T20:42:16.956608287Z" level=info msg="Stop container \"077571669eb813562a928ed62a512ecd158e9e339c3b654075ff3b57b8628fcf\" with signal terminated"`,
        ],
        rejects: [
          String.raw`time="2026-11-15T20:42:16.967293033Z" level=info msg="StopContainer for \"d808b5e8108b012f6dfa3eee532aeb9c8cbe4cd0e3afd25f7b3ec4349518ae23\" with timeout 30 (s)"`,
        ],
      },
    },
  ],
}
