import type { Signature } from '#/core/evidence/signature.ts'

export const systemOom: Signature = {
  id: 'system-oom',
  says: 'The node itself ran out of memory.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['SystemOOM'],
      regex: /^System OOM encountered/,
      literals: ['System OOM encountered'],
      strength: 'decisive',
      examples: {
        matches: ['System OOM encountered, victim process: node, pid: 4'],
        rejects: ['Liveness probe failed: '],
      },
    },
    {
      streams: ['kubelet'],
      regex: /"Got sys oom event"|System OOM encountered(?:, victim process: (?<victim>[^,]+), pid: (?<pid>\d+))?/,
      literals: ['System OOM encountered', '"Got sys oom event"'],
      strength: 'decisive',
      examples: {
        matches: ['System OOM encountered, victim process: qemu-system-x86, pid: 8123'],
        rejects: ['Memory failure: 0x1840200: Killing qemu-system-x86:33395 due to hardware memory corruption'],
      },
    },
  ],
}
