import type { Signature } from '#/core/evidence/signature.ts'

export const cgroupTableFull: Signature = {
  id: 'cgroup-table-full',
  says: 'The kernel cannot create more cgroups.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['FailedCreatePodContainer'],
      regex: /no space left on device/,
      literals: ['no space left on device'],
      strength: 'decisive',
      examples: {
        matches: [
          'unable to ensure pod container exists: failed to create container for [kubepods burstable podx] : mkdir /sys/fs/cgroup/x: no space left on device',
        ],
        rejects: [
          'Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/home/runner/start.sh": stat /home/runner/start.sh: no such file or directory: unknown',
        ],
      },
    },
  ],
}
