import type { Signature } from '#/core/evidence/signature.ts'

export const nodeRebooted: Signature = {
  id: 'node-rebooted',
  says: 'The node was rebooted.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Rebooted'],
      regex: /^Node \S+ has been rebooted, boot id: (?<boot>\S+)/,
      literals: [' has been rebooted, boot id: '],
      strength: 'decisive',
      examples: {
        matches: ['Node ip-10-0-0-1 has been rebooted, boot id: 1c2d'],
        rejects: ['Node is not ready'],
      },
    },
  ],
}
