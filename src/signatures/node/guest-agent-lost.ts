import type { Signature } from '#/core/evidence/signature.ts'

export const guestAgentLost: Signature = {
  id: 'guest-agent-lost',
  says: 'The shim cannot reach the guest agent or the hypervisor.',
  patterns: [
    {
      streams: ['vmm', 'containerd'],
      regex: /failed to ping (?<what>agent|hypervisor process)|: Dead agent\b/,
      literals: ['failed to ping ', ': Dead agent'],
      strength: 'decisive',
      examples: {
        matches: [
          'level=warning msg="failed to ping agent: Dead agent" sandbox=2088eb78',
          'level=error msg="failed to stop sandbox: Dead agent" name=containerd-shim-v2 sandbox=2088eb78',
        ],
        rejects: [
          'level=error msg="failed to delete dead shim" error="open /run/vc/sbs/x: no such file or directory" id=x',
        ],
      },
    },
  ],
}
