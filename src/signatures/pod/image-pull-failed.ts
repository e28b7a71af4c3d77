import type { Signature } from '#/core/evidence/signature.ts'

export const imagePullFailed: Signature = {
  id: 'image-pull-failed',
  says: 'The image could not be pulled.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Failed'],
      regex: /^Failed to pull image "(?<image>[^"]+)": (?<why>.+)/s,
      literals: ['Failed to pull image "'],
      strength: 'decisive',
      examples: {
        matches: [
          'Failed to pull image "ghcr.io/x/y:1": rpc error: code = Unknown desc = failed to pull and unpack image "ghcr.io/x/y:1": failed to resolve reference "ghcr.io/x/y:1": failed to authorize: failed to fetch anonymous token: unexpected status: 403 Forbidden',
        ],
        rejects: [
          'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "x": plugin type="calico" failed (add)',
        ],
      },
    },
  ],
}
