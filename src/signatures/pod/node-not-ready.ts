import type { Signature } from '#/core/evidence/signature.ts'

export const nodeNotReady: Signature = {
  id: 'node-not-ready',
  says: 'The node is not ready.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['NodeNotReady'],
      regex: /^Node is not ready$|status is now: NodeNotReady/,
      literals: ['status is now: NodeNotReady', 'Node is not ready'],
      strength: 'strong',
      caution: 'Containers may keep running and even succeed while only the kubelet is silent.',
      examples: {
        matches: ['Node is not ready'],
        rejects: ['Node runner-node-1 status is now: NodeReady'],
      },
    },
  ],
}
