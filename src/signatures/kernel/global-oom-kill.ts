import type { Signature } from '#/core/evidence/signature.ts'

export const globalOomKill: Signature = {
  id: 'global-oom-kill',
  says: 'The kernel killed a process because the whole machine was out of memory.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /(?:^|\s)Out of memory(?: \(oom_kill_allocating_task\))?: Killed process (?<pid>\d+) \((?<victim>[^)]+)\)/,
      literals: [': Killed process '],
      strength: 'decisive',
      examples: {
        matches: ['Out of memory: Killed process 1849 (java) total-vm:23360908kB, anon-rss:18820868kB, file-rss:0kB'],
        rejects: [
          'Memory cgroup out of memory: Killed process 6576 (node) total-vm:123056kB, anon-rss:121984kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:276kB oom_score_adj:996',
        ],
      },
    },
  ],
}
