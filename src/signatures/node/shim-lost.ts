import type { Signature } from '#/core/evidence/signature.ts'

export const shimLost: Signature = {
  id: 'shim-lost',
  says: 'containerd lost the shim of a running container.',
  patterns: [
    {
      streams: ['containerd'],
      regex: /failed to get task exit status for \\?"(?<container>[0-9a-f]+)\\?"" error="ttrpc: closed/,
      literals: ['failed to get task exit status for '],
      strength: 'decisive',
      examples: {
        matches: [
          String.raw`time="2026-11-15T21:14:44.565852366Z" level=error msg="failed to get task exit status for \"2fd9a1f6759438568e71e33f201255b45b5835a24c5ac07deb7f4ac89f6cce17\"" error="ttrpc: closed: unknown"`,
        ],
        rejects: [
          String.raw`time="2026-11-15T20:42:18.056603915Z" level=error msg="ContainerStatus for \"eeffaa81c4c2b614067ff094a8d8b5a09b7f9522330f1da1bd1e4e4e10959236\" failed" error="rpc error: code = NotFound desc = an error occurred when try to find container \"eeffaa81c4c2b614067ff094a8d8b5a09b7f9522330f1da1bd1e4e4e10959236\": not found"`,
        ],
      },
    },
  ],
}
