import type { Signature } from '#/core/evidence/signature.ts'

export const hardwareError: Signature = {
  id: 'hardware-error',
  says: 'The hardware reported an error.',
  patterns: [
    {
      streams: ['kernel'],
      regex:
        /\[Hardware Error\]: (?:event severity: (?<severity>corrected|recoverable|fatal)|Machine check)|Machine check events logged|MCE: Killing/,
      literals: ['Machine check events logged', '[Hardware Error]: ', 'MCE: Killing'],
      strength: 'strong',
      examples: {
        matches: ['{1}[Hardware Error]: event severity: fatal'],
        rejects: ['rcu: INFO: rcu_preempt self-detected stall on CPU'],
      },
    },
  ],
}
