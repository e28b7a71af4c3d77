import type { Signature } from '#/core/evidence/signature.ts'

export const guestOutOfMemory: Signature = {
  id: 'guest-out-of-memory',
  says: 'The guest kernel killed a process because memory ran out inside the microVM.',
  patterns: [
    {
      streams: ['guest-kernel'],
      regex:
        /Out of memory(?: \(oom_kill_allocating_task\))?: Kill(?:ed)? process (?<pid>\d+)[ ,]+\((?<victim>[^)]{1,64})\)/,
      literals: ['Out of memory'],
      strength: 'decisive',
      caution: 'The line is in the host journal, but the guest console wrote it: the host had memory.',
      examples: {
        matches: [
          'Out of memory: Killed process 214 (Runner.Listener) total-vm:274101kB, anon-rss:181204kB',
          'Out of memory: Kill process 214 (Runner.Listener) score 905 or sacrifice child',
        ],
        rejects: ['oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/jest.slice,task=node,pid=911,uid=1001'],
      },
    },
    {
      streams: ['guest-kernel'],
      regex:
        /oom-kill:constraint=CONSTRAINT_MEMCG,.{0,400}oom_memcg=\/kubepods[^,]{0,300},.{0,600}task=(?<victim>[^,]{1,64}),pid=(?<pid>\d+)/,
      literals: ['oom-kill:constraint=CONSTRAINT_MEMCG'],
      strength: 'decisive',
      caution: 'The limit of the container applies inside the guest, so the host counts nothing.',
      examples: {
        matches: [
          'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a,mems_allowed=0,oom_memcg=/kubepods/podd2fff317,task_memcg=/kubepods/podd2fff317/a,task=Runner.Worker,pid=911,uid=1001',
        ],
        rejects: [
          'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=jest,mems_allowed=0,oom_memcg=/jest.slice,task_memcg=/jest.slice,task=node,pid=911,uid=1001',
        ],
      },
    },
    {
      streams: ['guest-kernel'],
      regex: /Memory cgroup out of memory: Kill(?:ed)? process (?<pid>\d+)[ ,]+\((?<victim>Runner\.\w{1,20})\)/,
      literals: ['Memory cgroup out of memory'],
      strength: 'decisive',
      caution: 'Only where the runner itself was killed: a step may limit its own processes.',
      examples: {
        matches: ['Memory cgroup out of memory: Killed process 214 (Runner.Listener) total-vm:274101kB'],
        rejects: ['Memory cgroup out of memory: Killed process 911 (node) total-vm:2220112kB, anon-rss:1041220kB'],
      },
    },
    {
      streams: ['guest-kernel'],
      regex: /Kernel panic - not syncing: (?<why>(?:Out of memory|System is deadlocked on memory).{0,200})/,
      literals: ['Kernel panic - not syncing'],
      strength: 'decisive',
      examples: {
        matches: ['Kernel panic - not syncing: Out of memory: compulsory panic_on_oom is enabled'],
        rejects: ['Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b'],
      },
    },
  ],
}
