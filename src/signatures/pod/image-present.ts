import type { Signature } from '#/core/evidence/signature.ts'

export const imagePresent: Signature = {
  id: 'image-present',
  says: 'The image was already on the node.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Pulled'],
      regex: /^Container image "(?<image>[^"]+)" already present on machine(?: and can be accessed by the pod)?$/,
      literals: ['" already present on machine'],
      strength: 'context',
      examples: {
        matches: [
          'Container image "docker.io/library/busybox:local" already present on machine and can be accessed by the pod',
        ],
        rejects: ['Container image "ci/runner:2.335.1" is not present with pull policy of Never'],
      },
    },
  ],
}
