import type { Signature } from '#/core/evidence/signature.ts'

export const guestAgentLost: Signature = {
  id: 'guest-agent-lost',
  says: 'The shim cannot reach the guest agent or the hypervisor.',
  patterns: [
    {
      streams: ['vmm'],
      regex: /failed to ping (?<what>agent|hypervisor process)/,
      literals: ['failed to ping '],
      strength: 'decisive',
      examples: {
        matches: ['level=warning msg="failed to ping agent: Dead agent" sandbox=2088eb78'],
        rejects: [
          'level=error msg="failed to delete dead shim" error="open /run/vc/sbs/x: no such file or directory" id=x',
        ],
      },
    },
  ],
}
