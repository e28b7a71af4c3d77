import type { Signature } from '#/core/evidence/signature.ts'

export const oomReaped: Signature = {
  id: 'oom-reaped',
  says: 'The kernel freed the memory of the victim.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /oom_reaper: reaped process (?<pid>\d+) \((?<victim>[^)]+)\)/,
      literals: ['oom_reaper: reaped process '],
      strength: 'medium',
      examples: {
        matches: ['oom_reaper: reaped process 6439 (tracker-miner-f), now anon-rss:0kB, file-rss:0kB, shmem-rss:4kB'],
        rejects: ['Out of memory: Killed process 1849 (java) total-vm:23360908kB, anon-rss:18820868kB, file-rss:0kB'],
      },
    },
  ],
}
