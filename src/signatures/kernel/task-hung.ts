import type { Signature } from '#/core/evidence/signature.ts'

export const taskHung: Signature = {
  id: 'task-hung',
  says: 'A task waited for IO for minutes.',
  patterns: [
    {
      streams: ['kernel', 'event'],
      regex: /INFO: task (?<task>.+?):(?<pid>\d+) blocked for more than (?<seconds>\d+) seconds/,
      literals: [' blocked for more than '],
      strength: 'strong',
      examples: {
        matches: ['INFO: task kworker/u8:2:114 blocked for more than 122 seconds.'],
        rejects: ['Could not access KVM kernel module: No such file or directory'],
      },
    },
  ],
}
