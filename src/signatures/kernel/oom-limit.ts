import type { Signature } from '#/core/evidence/signature.ts'

export const oomLimit: Signature = {
  id: 'oom-limit',
  says: 'The memory limit that was reached, as the kernel prints it.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /(?:^|\s)memory: usage (?<usage>\d+)kB, limit (?<limit>\d+)kB, failcnt (?<failures>\d+)/,
      literals: ['memory: usage '],
      strength: 'strong',
      examples: {
        matches: ['memory: usage 122880kB, limit 122880kB, failcnt 68'],
        rejects: ['memory+swap: usage 131072kB, limit 9007199254740988kB, failcnt 0'],
      },
    },
  ],
}
