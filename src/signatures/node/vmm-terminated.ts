import type { Signature } from '#/core/evidence/signature.ts'

export const vmmTerminated: Signature = {
  id: 'vmm-terminated',
  says: 'A signal ended the virtual machine.',
  patterns: [
    {
      streams: ['vmm'],
      regex:
        /qemu(?:-system-\S+|-kvm)?: terminating on signal (?<signal>\d+) from pid (?<pid>\d+)(?: \((?<sender>[^)]*)\))?/,
      literals: [': terminating on signal '],
      strength: 'decisive',
      examples: {
        matches: ['qemu-system-x86_64: terminating on signal 15 from pid 1100 (containerd-shim-kata-v2)'],
        rejects: ['unregister_netdevice: waiting for eth0 to become free. Usage count = 2'],
      },
    },
  ],
}
