import type { Signature } from '#/core/evidence/signature.ts'

export const stopDone: Signature = {
  id: 'stop-done',
  says: 'The stop that the kubelet requested is done.',
  patterns: [
    {
      streams: ['containerd'],
      regex: /msg="StopContainer for \\?"(?<container>[0-9a-f]+)\\?" returns successfully/,
      literals: ['msg="StopContainer for '],
      strength: 'decisive',
      examples: {
        matches: [
          String.raw`time="2026-11-15T20:42:17.886310406Z" level=info msg="StopContainer for \"eeffaa81c4c2b614067ff094a8d8b5a09b7f9522330f1da1bd1e4e4e10959236\" returns successfully"`,
        ],
        rejects: [
          String.raw`time="2026-11-15T20:42:08.111820720Z" level=info msg="StopPodSandbox for \"dd2fc11524790151465f3d9a57d290e27959ae82c71f32b99ddddfff40c81509\" returns successfully"`,
        ],
      },
    },
  ],
}
