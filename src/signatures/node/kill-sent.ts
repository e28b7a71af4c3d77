import type { Signature } from '#/core/evidence/signature.ts'

export const killSent: Signature = {
  id: 'kill-sent',
  says: 'The grace period ended and the runtime sent SIGKILL.',
  patterns: [
    {
      streams: ['containerd'],
      regex: /Kill container \\?"(?<container>[0-9a-f]+)\\?"/,
      literals: ['Kill container '],
      strength: 'decisive',
      examples: {
        matches: [
          String.raw`time="2026-11-15T20:42:41.978818539Z" level=info msg="Kill container \"077571669eb813562a928ed62a512ecd158e9e339c3b654075ff3b57b8628fcf\""`,
        ],
        rejects: [
          String.raw`time="2026-11-15T20:42:16.956608287Z" level=info msg="Stop container \"077571669eb813562a928ed62a512ecd158e9e339c3b654075ff3b57b8628fcf\" with signal terminated"`,
        ],
      },
    },
  ],
}
