import type { Signature } from '#/core/evidence/signature.ts'

export const netdeviceStuck: Signature = {
  id: 'netdevice-stuck',
  says: 'A network device is not released.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /unregister_netdevice: waiting for (?<device>\S+) to become free/,
      literals: ['unregister_netdevice: waiting for '],
      strength: 'medium',
      examples: {
        matches: ['unregister_netdevice: waiting for eth0 to become free. Usage count = 2'],
        rejects: ["kubelet.service: Failed with result 'oom-kill'."],
      },
    },
  ],
}
