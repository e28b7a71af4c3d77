import type { Signature } from '#/core/evidence/signature.ts'

export const memcgOomKill: Signature = {
  id: 'memcg-oom-kill',
  says: 'The kernel killed a process at the memory limit of a cgroup.',
  patterns: [
    {
      streams: ['kernel'],
      regex:
        /Memory cgroup out of memory: Killed process (?<pid>\d+) \((?<victim>[^)]+)\) total-vm:(?<total>\d+)kB, anon-rss:(?<anonymous>\d+)kB, file-rss:(?<file>\d+)kB/,
      literals: ['Memory cgroup out of memory: Killed process '],
      strength: 'decisive',
      examples: {
        matches: [
          'Memory cgroup out of memory: Killed process 6576 (node) total-vm:123056kB, anon-rss:121984kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:276kB oom_score_adj:996',
        ],
        rejects: ['Out of memory: Killed process 1849 (java) total-vm:23360908kB, anon-rss:18820868kB, file-rss:0kB'],
      },
    },
  ],
}
