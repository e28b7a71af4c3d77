import type { Signature } from '#/core/evidence/signature.ts'

export const kubeletBacksOff: Signature = {
  id: 'kubelet-backs-off',
  says: 'The kubelet backs off before it retries the image or the container.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['BackOff'],
      regex: /^Back-off (?:pulling image|restarting failed container)/,
      literals: ['restarting failed container', 'pulling image'],
      strength: 'strong',
      examples: {
        matches: ['Back-off pulling image "ghcr.io/x"'],
        rejects: ['Error: configmap "tools-cm-proxy" not found'],
      },
    },
  ],
}
