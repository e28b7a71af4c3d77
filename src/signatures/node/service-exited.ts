import type { Signature } from '#/core/evidence/signature.ts'

export const serviceExited: Signature = {
  id: 'service-exited',
  says: 'The main process of a service ended.',
  patterns: [
    {
      streams: ['systemd'],
      regex:
        /(?<unit>\S{1,256}\.service): Main process exited, code=(?<how>killed|exited|dumped), status=(?<code>\d+)\/(?<signal>\S+)/,
      literals: [': Main process exited, code='],
      strength: 'decisive',
      examples: {
        matches: ['containerd.service: Main process exited, code=killed, status=9/KILL'],
        rejects: ['cri-containerd-85d3.scope: A process of this unit has been killed by the OOM killer.'],
      },
    },
  ],
}
