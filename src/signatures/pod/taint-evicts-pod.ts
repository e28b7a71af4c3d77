import type { Signature } from '#/core/evidence/signature.ts'

export const taintEvictsPod: Signature = {
  id: 'taint-evicts-pod',
  says: 'A node taint evicts the pod.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['TaintManagerEviction'],
      regex: /^Marking for deletion Pod (?<pod>\S+)$/,
      literals: ['Marking for deletion Pod '],
      strength: 'decisive',
      examples: {
        matches: ['Marking for deletion Pod default/shop-1'],
        rejects: ['Cancelling deletion of Pod default/shop-1'],
      },
    },
  ],
}
