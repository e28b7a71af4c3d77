import type { Signature } from '#/core/evidence/signature.ts'

export const guestOutOfMemory: Signature = {
  id: 'guest-out-of-memory',
  says: 'The guest kernel killed a process because memory ran out inside the microVM.',
  patterns: [
    {
      streams: ['vmm'],
      regex: /Out of memory(?: \(oom_kill_allocating_task\))?: Killed process (?<pid>\d+) \((?<victim>[^)]{1,64})\)/,
      literals: ['Out of memory'],
      strength: 'decisive',
      caution: 'The line is in the host journal, but the guest console wrote it: the host had memory.',
      examples: {
        matches: [
          String.raw`level=debug msg="reading guest console" vmconsole="[  131.400000] Out of memory: Killed process 214 (Runner.Listener) total-vm:274101kB, anon-rss:181204kB" name=containerd-shim-v2 pid=49646`,
        ],
        rejects: [
          'Memory cgroup out of memory: Killed process 6576 (node) total-vm:1043040kB, anon-rss:130412kB, file-rss:0kB',
        ],
      },
    },
  ],
}
