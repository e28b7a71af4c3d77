import type { Signature } from '#/core/evidence/signature.ts'

export const stopRequested: Signature = {
  id: 'stop-requested',
  says: 'The kubelet asked the runtime to stop the container with this grace period.',
  patterns: [
    {
      streams: ['containerd'],
      regex: /StopContainer for \\?"(?<container>[0-9a-f]+)\\?" with timeout (?<seconds>\d+) \(s\)/,
      literals: ['StopContainer for '],
      strength: 'decisive',
      examples: {
        matches: [
          String.raw`time="2026-11-15T21:14:28.425930288Z" level=info msg="StopContainer for \"6913e5242777016e8899572b5815c7b6c54b1886c68b38e546225da2e97ae025\" with timeout 2 (s)"`,
        ],
        rejects: [
          String.raw`time="2026-11-15T20:42:17.886310406Z" level=info msg="StopContainer for \"eeffaa81c4c2b614067ff094a8d8b5a09b7f9522330f1da1bd1e4e4e10959236\" returns successfully"`,
        ],
      },
    },
  ],
}
