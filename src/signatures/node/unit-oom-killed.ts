import type { Signature } from '#/core/evidence/signature.ts'

export const unitOomKilled: Signature = {
  id: 'unit-oom-killed',
  says: 'A process of a systemd unit was killed for memory.',
  patterns: [
    {
      streams: ['systemd'],
      regex: /(?<unit>\S{1,256}\.(?:scope|service|slice)): A process of this unit has been killed by the OOM killer/,
      literals: [': A process of this unit has been killed by the OOM killer'],
      strength: 'decisive',
      examples: {
        matches: ['cri-containerd-85d3.scope: A process of this unit has been killed by the OOM killer.'],
        rejects: ['containerd.service: Main process exited, code=killed, status=9/KILL'],
      },
    },
  ],
}
