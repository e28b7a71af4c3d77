import type { Signature } from '#/core/evidence/signature.ts'

export const nodeCordoned: Signature = {
  id: 'node-cordoned',
  says: 'The node is cordoned.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['NodeNotSchedulable'],
      regex: /^Node (?<node>\S+) status is now: NodeNotSchedulable$/,
      literals: [' status is now: NodeNotSchedulable'],
      strength: 'medium',
      examples: {
        matches: ['Node runner-node-1 status is now: NodeNotSchedulable'],
        rejects: ['Node runner-node-1 status is now: NodeSchedulable'],
      },
    },
  ],
}
