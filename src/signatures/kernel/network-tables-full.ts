import type { Signature } from '#/core/evidence/signature.ts'

export const networkTablesFull: Signature = {
  id: 'network-tables-full',
  says: 'The network tables of the host are full.',
  patterns: [
    {
      streams: ['kernel'],
      regex:
        /neighbour: \S+: neighbor table overflow|TCP: out of memory -- consider tuning tcp_mem|TCP: too many orphaned sockets/,
      literals: [
        'TCP: out of memory -- consider tuning tcp_mem',
        'TCP: too many orphaned sockets',
        ': neighbor table overflow',
      ],
      strength: 'strong',
      examples: {
        matches: ['neighbour: arp_cache: neighbor table overflow!'],
        rejects: ['nf_conntrack: nf_conntrack: table full, dropping packet'],
      },
    },
  ],
}
