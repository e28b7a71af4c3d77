import type { Signature } from '#/core/evidence/signature.ts'

export const conntrackFull: Signature = {
  id: 'conntrack-full',
  says: 'The host drops packets: its connection table is full.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /nf_conntrack: (?:nf_conntrack: )?table full, dropping packet/,
      literals: ['table full, dropping packet'],
      strength: 'decisive',
      examples: {
        matches: ['nf_conntrack: nf_conntrack: table full, dropping packet'],
        rejects: ['neighbour: arp_cache: neighbor table overflow!'],
      },
    },
  ],
}
