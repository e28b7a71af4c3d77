import type { Signature } from '#/core/evidence/signature.ts'

export const forkRejected: Signature = {
  id: 'fork-rejected',
  says: 'A cgroup has no process ids left.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /cgroup: fork rejected by pids controller in (?<cgroup>\S+)/,
      literals: ['cgroup: fork rejected by pids controller in '],
      strength: 'decisive',
      examples: {
        matches: [
          'cgroup: fork rejected by pids controller in /kubepods.slice/kubepods-podx.slice/cri-containerd-y.scope',
        ],
        rejects: [
          'Tasks in /kubepods.slice/kubepods-podf941.slice/cri-containerd-85d3.scope are going to be killed due to memory.oom.group set',
        ],
      },
    },
  ],
}
