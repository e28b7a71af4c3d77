import type { Signature } from '#/core/evidence/signature.ts'

export const oomGroupKill: Signature = {
  id: 'oom-group-kill',
  says: 'The kernel killed a whole cgroup for memory.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /Tasks in (?<cgroup>\S+) are going to be killed due to memory\.oom\.group set/,
      literals: [' are going to be killed due to memory.oom.group set'],
      strength: 'decisive',
      examples: {
        matches: [
          'Tasks in /kubepods.slice/kubepods-podf941.slice/cri-containerd-85d3.scope are going to be killed due to memory.oom.group set',
        ],
        rejects: [
          'cgroup: fork rejected by pids controller in /kubepods.slice/kubepods-podx.slice/cri-containerd-y.scope',
        ],
      },
    },
  ],
}
