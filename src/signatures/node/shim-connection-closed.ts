import type { Signature } from '#/core/evidence/signature.ts'

export const shimConnectionClosed: Signature = {
  id: 'shim-connection-closed',
  says: 'The connection to a shim was closed.',
  patterns: [
    {
      streams: ['containerd'],
      regex: /ttrpc: closed|Shim ttrpc connection closed when stopping container/,
      literals: ['Shim ttrpc connection closed when stopping container', 'ttrpc: closed'],
      strength: 'medium',
      caution: 'Means little next to a normal stop.',
      examples: {
        matches: ['Shim ttrpc connection closed when stopping container "x", retry after 100ms'],
        rejects: [
          'time="2026-11-15T20:42:06.088919902Z" level=info msg="shim disconnected" id=aef6df33d7eaf8ddbde9b478696f81229aaf7cdd4c17f110ee285d3f5faa995d',
        ],
      },
    },
  ],
}
