import type { Signature } from '#/core/evidence/signature.ts'

export const kernelPanic: Signature = {
  id: 'kernel-panic',
  says: 'The kernel panicked.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /Kernel panic - not syncing: (?<why>.+)/,
      literals: ['Kernel panic - not syncing: '],
      strength: 'decisive',
      examples: {
        matches: ['Kernel panic - not syncing: Out of memory: compulsory panic_on_oom is enabled'],
        rejects: ['unregister_netdevice: waiting for eth0 to become free. Usage count = 2'],
      },
    },
  ],
}
