import type { Signature } from '#/core/evidence/signature.ts'

export const taintEvictionCancelled: Signature = {
  id: 'taint-eviction-cancelled',
  says: 'The node recovered before the taint evicted the pod.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['TaintManagerEviction'],
      regex: /^Cancelling deletion of Pod (?<pod>\S+)$/,
      literals: ['Cancelling deletion of Pod '],
      strength: 'context',
      examples: {
        matches: ['Cancelling deletion of Pod arc-runners/linux-8g-k2xvq-runner-7hn4d'],
        rejects: ['Marking for deletion Pod arc-runners/linux-8g-k2xvq-runner-7hn4d'],
      },
    },
  ],
}
