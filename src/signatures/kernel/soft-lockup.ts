import type { Signature } from '#/core/evidence/signature.ts'

export const softLockup: Signature = {
  id: 'soft-lockup',
  says: 'A CPU was stuck for seconds.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /watchdog: BUG: soft lockup - CPU#(?<cpu>\d+) stuck for (?<seconds>\d+)s/,
      literals: ['watchdog: BUG: soft lockup - CPU#'],
      strength: 'strong',
      examples: {
        matches: ['watchdog: BUG: soft lockup - CPU#3 stuck for 23s! [qemu-system-x86:812]'],
        rejects: ['System OOM encountered, victim process: qemu-system-x86, pid: 8123'],
      },
    },
  ],
}
