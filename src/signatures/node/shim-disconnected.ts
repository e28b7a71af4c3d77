import type { Signature } from '#/core/evidence/signature.ts'

export const shimDisconnected: Signature = {
  id: 'shim-disconnected',
  says: 'The shim of a container disconnected, as it does at every end.',
  patterns: [
    {
      streams: ['containerd'],
      regex: /msg="shim disconnected"|cleaning up after shim disconnected/,
      literals: ['cleaning up after shim disconnected', 'msg="shim disconnected"'],
      strength: 'weak',
      caution: 'Printed at every end; it counts only together with a lost shim and no stop before.',
      examples: {
        matches: [
          'time="2026-11-15T20:42:06.088919902Z" level=info msg="shim disconnected" id=aef6df33d7eaf8ddbde9b478696f81229aaf7cdd4c17f110ee285d3f5faa995d',
        ],
        rejects: ['time="2026-11-15T20:42:06.089038033Z" level=info msg="cleaning up dead shim"'],
      },
    },
  ],
}
