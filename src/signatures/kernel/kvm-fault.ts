import type { Signature } from '#/core/evidence/signature.ts'

export const kvmFault: Signature = {
  id: 'kvm-fault',
  says: 'The virtual machine hit a hypervisor fault.',
  patterns: [
    {
      streams: ['kernel'],
      regex:
        /kvm(?: \[\d+\])?: .*(?:emulation failure|unhandled exit|nested vmrun)|KVM internal error\. Suberror: (?<suberror>\d+)/,
      literals: ['KVM internal error. Suberror: ', 'emulation failure', 'unhandled exit', 'nested vmrun'],
      strength: 'strong',
      examples: {
        matches: ['KVM internal error. Suberror: 1'],
        rejects: ['Could not access KVM kernel module: No such file or directory'],
      },
    },
  ],
}
