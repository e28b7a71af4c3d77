import type { Signature } from '#/core/evidence/signature.ts'

export const rcuStall: Signature = {
  id: 'rcu-stall',
  says: 'A CPU stalled.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /INFO: rcu_\w+ (?:self-)?detect(?:ed|s) (?:expedited )?stalls?/,
      literals: ['INFO: rcu_'],
      strength: 'strong',
      examples: {
        matches: [
          'rcu: INFO: rcu_preempt self-detected stall on CPU',
          'INFO: rcu_sched detected stalls on CPUs/tasks: { 3} (detected by 1, t=60002 jiffies)',
        ],
        rejects: ['blk_update_request: I/O error, dev sda, sector 12345 op 0x0:(READ)'],
      },
    },
  ],
}
