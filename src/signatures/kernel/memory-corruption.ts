import type { Signature } from '#/core/evidence/signature.ts'

export const memoryCorruption: Signature = {
  id: 'memory-corruption',
  says: 'A hardware memory error killed a process.',
  patterns: [
    {
      streams: ['kernel'],
      regex:
        /Memory failure: 0x[0-9a-f]+: (?:Sending SIGBUS to|Killing) (?<victim>[^:]+):(?<pid>\d+) due to hardware memory corruption/,
      literals: [' due to hardware memory corruption'],
      strength: 'decisive',
      examples: {
        matches: ['Memory failure: 0x1840200: Killing qemu-system-x86:33395 due to hardware memory corruption'],
        rejects: ['unregister_netdevice: waiting for eth0 to become free. Usage count = 2'],
      },
    },
  ],
}
