import type { Signature } from '#/core/evidence/signature.ts'

export const kernelOops: Signature = {
  id: 'kernel-oops',
  says: 'The kernel itself crashed on a bad address.',
  patterns: [
    {
      streams: ['kernel'],
      regex:
        /BUG: (?:unable to handle (?:kernel NULL pointer dereference|page fault)|kernel NULL pointer dereference)|Oops: [0-9a-f]{4}/,
      literals: ['kernel NULL pointer dereference', 'unable to handle ', 'Oops: '],
      strength: 'decisive',
      examples: {
        matches: ['BUG: kernel NULL pointer dereference, address: 0000000000000000'],
        rejects: ['KVM internal error. Suberror: 1'],
      },
    },
  ],
}
