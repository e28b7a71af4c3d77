import type { Signature } from '#/core/evidence/signature.ts'

export const npdOomKill: Signature = {
  id: 'npd-oom-kill',
  says: 'The node problem detector saw the kernel kill a process for memory.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['OOMKilling'],
      regex: /Killed process (?<pid>\d+) \((?<victim>[^)]+)\)/,
      literals: ['Killed process '],
      strength: 'strong',
      examples: {
        matches: [
          'Memory cgroup out of memory: Killed process 22609 (node) total-vm:9923620kB, anon-rss:4116684kB, file-rss:23132kB',
        ],
        rejects: ['System OOM encountered, victim process: node, pid: 4'],
      },
    },
  ],
}
