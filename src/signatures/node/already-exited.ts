import type { Signature } from '#/core/evidence/signature.ts'

export const alreadyExited: Signature = {
  id: 'already-exited',
  says: 'Printed at the end of every container.',
  patterns: [
    {
      streams: ['containerd'],
      regex:
        /Container to stop \\?"(?<container>[0-9a-f]+)\\?" must be in running or unknown state, current state \\?"CONTAINER_EXITED\\?"/,
      literals: ['" must be in running or unknown state, current state '],
      strength: 'context',
      caution: 'Printed at the end of every pod; it is no evidence.',
      examples: {
        matches: [
          String.raw`time="2026-11-15T20:42:07.993600158Z" level=info msg="Container to stop \"aef6df33d7eaf8ddbde9b478696f81229aaf7cdd4c17f110ee285d3f5faa995d\" must be in running or unknown state, current state \"CONTAINER_EXITED\""`,
        ],
        rejects: [
          String.raw`time="2026-11-15T20:42:08.111820720Z" level=info msg="StopPodSandbox for \"dd2fc11524790151465f3d9a57d290e27959ae82c71f32b99ddddfff40c81509\" returns successfully"`,
        ],
      },
    },
  ],
}
