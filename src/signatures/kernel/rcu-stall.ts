import type { Signature } from '#/core/evidence/signature.ts'

export const rcuStall: Signature = {
  id: 'rcu-stall',
  says: 'A CPU stalled.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /rcu: INFO: rcu_\w+ (?:self-)?detected (?:expedited )?stalls?/,
      literals: ['rcu: INFO: rcu_'],
      strength: 'strong',
      examples: {
        matches: ['rcu: INFO: rcu_preempt self-detected stall on CPU'],
        rejects: ['blk_update_request: I/O error, dev sda, sector 12345 op 0x0:(READ)'],
      },
    },
  ],
}
