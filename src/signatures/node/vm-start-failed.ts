import type { Signature } from '#/core/evidence/signature.ts'

export const vmStartFailed: Signature = {
  id: 'vm-start-failed',
  says: 'The microVM did not start.',
  patterns: [
    {
      streams: ['vmm'],
      regex:
        /Could not access KVM kernel module: (?<module>.+)|failed to initiali[sz]e (?:kvm|KVM)|cannot set up guest memory '(?<memory>[^']+)': Cannot allocate memory/,
      literals: ['Could not access KVM kernel module: ', "cannot set up guest memory '", 'failed to initiali'],
      strength: 'decisive',
      examples: {
        matches: ['Could not access KVM kernel module: No such file or directory'],
        rejects: [
          'level=error msg="failed to delete dead shim" error="open /run/vc/sbs/x: no such file or directory" id=x',
        ],
      },
    },
  ],
}
