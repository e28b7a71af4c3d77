import type { Signature } from '#/core/evidence/signature.ts'

export const sandboxFailed: Signature = {
  id: 'sandbox-failed',
  says: 'The pod sandbox could not be created.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['FailedCreatePodSandBox'],
      regex: /^Failed to create pod sandbox: (?<why>.+)/s,
      literals: ['Failed to create pod sandbox: '],
      strength: 'decisive',
      examples: {
        matches: [
          'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "x": plugin type="calico" failed (add)',
        ],
        rejects: [
          'Failed to pull image "ghcr.io/x/y:1": rpc error: code = Unknown desc = failed to pull and unpack image "ghcr.io/x/y:1": failed to resolve reference "ghcr.io/x/y:1": failed to authorize: failed to fetch anonymous token: unexpected status: 403 Forbidden',
        ],
      },
    },
  ],
}
