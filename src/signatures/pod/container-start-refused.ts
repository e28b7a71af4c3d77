import type { Signature } from '#/core/evidence/signature.ts'

export const containerStartRefused: Signature = {
  id: 'container-start-refused',
  says: 'The container could not be created: an image, a secret or a config map.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Failed'],
      regex:
        /^Error: (?<why>ErrImagePull|ImagePullBackOff|CreateContainerConfigError|CreateContainerError|secret "[^"]+" not found|configmap "[^"]+" not found)/,
      literals: [
        'CreateContainerConfigError',
        'CreateContainerError',
        'ImagePullBackOff',
        'ErrImagePull',
        'configmap "',
        '" not found',
      ],
      strength: 'decisive',
      examples: {
        matches: ['Error: configmap "tools-cm-proxy" not found'],
        rejects: [
          'Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/home/runner/start.sh": stat /home/runner/start.sh: no such file or directory: unknown',
        ],
      },
    },
  ],
}
