import type { Signature } from '#/core/evidence/signature.ts'

export const oomdKilled: Signature = {
  id: 'oomd-killed',
  says: 'systemd-oomd killed a cgroup because of memory pressure.',
  patterns: [
    {
      streams: ['systemd'],
      regex: /Killed (?<cgroup>\S+) due to memory (?:pressure for (?<pressed>\S+) being|used)/,
      literals: [' due to memory '],
      strength: 'decisive',
      examples: {
        matches: [
          'Killed /kubepods.slice/x.scope due to memory pressure for /kubepods.slice being 70.24% > 50.00% for > 20s with reclaim activity',
        ],
        rejects: [
          'cgroup: fork rejected by pids controller in /kubepods.slice/kubepods-podx.slice/cri-containerd-y.scope',
        ],
      },
    },
  ],
}
