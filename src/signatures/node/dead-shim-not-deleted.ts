import type { Signature } from '#/core/evidence/signature.ts'

export const deadShimNotDeleted: Signature = {
  id: 'dead-shim-not-deleted',
  says: 'containerd could not clean up a dead shim.',
  patterns: [
    {
      streams: ['containerd'],
      regex: /failed to delete dead shim/,
      literals: ['failed to delete dead shim'],
      strength: 'strong',
      examples: {
        matches: [
          'level=error msg="failed to delete dead shim" error="open /run/vc/sbs/x: no such file or directory" id=x',
        ],
        rejects: ['time="2026-11-15T20:42:06.089038033Z" level=info msg="cleaning up dead shim"'],
      },
    },
  ],
}
