import type { Signature } from '#/core/evidence/signature.ts'

export const softLockup: Signature = {
  id: 'soft-lockup',
  says: 'A CPU was stuck for seconds.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /BUG: soft lockup - CPU#(?<cpu>\d+) stuck for (?<seconds>\d+)s/,
      literals: ['BUG: soft lockup - CPU#'],
      strength: 'strong',
      examples: {
        matches: [
          'watchdog: BUG: soft lockup - CPU#3 stuck for 23s! [qemu-system-x86:812]',
          'BUG: soft lockup - CPU#0 stuck for 67s! [kworker/0:1:31]',
        ],
        rejects: ['System OOM encountered, victim process: qemu-system-x86, pid: 8123'],
      },
    },
  ],
}
