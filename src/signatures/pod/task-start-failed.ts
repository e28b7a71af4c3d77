import type { Signature } from '#/core/evidence/signature.ts'

export const taskStartFailed: Signature = {
  id: 'task-start-failed',
  says: 'The runtime could not start the process of the container.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Failed'],
      regex: /^Error: failed to (?:create|start) containerd task: (?<why>.+)/s,
      literals: [' containerd task: '],
      strength: 'decisive',
      examples: {
        matches: [
          'Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/home/runner/start.sh": stat /home/runner/start.sh: no such file or directory: unknown',
        ],
        rejects: ['Error: ErrImagePull'],
      },
    },
    {
      streams: ['containerd'],
      regex: /msg="StartContainer for \\?"(?<container>[0-9a-f]+)\\?" failed" error="(?<why>.+)"/,
      literals: ['msg="StartContainer for '],
      strength: 'decisive',
      examples: {
        matches: [
          String.raw`time="2026-11-15T20:38:07.743362703Z" level=error msg="StartContainer for \"0a5676076161954784bd26f13f5cdf18733b1fed1e123cf37282584774743957\" failed" error="failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: \"/home/runner/start.sh\": stat /home/runner/start.sh: no such file or directory: unknown"`,
        ],
        rejects: [
          String.raw`time="2026-11-15T20:41:47.589056336Z" level=info msg="StartContainer for \"077571669eb813562a928ed62a512ecd158e9e339c3b654075ff3b57b8628fcf\" returns successfully"`,
        ],
      },
    },
    {
      streams: ['kubelet'],
      regex:
        /"Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"(?<container>[^"\\]+)\\" with (?!CrashLoopBackOff)(?<why>\w+): /,
      literals: [String.raw`"Error syncing pod, skipping" err="failed to \"StartContainer\" for \"`],
      strength: 'decisive',
      examples: {
        matches: [
          String.raw`E1115 20:38:07.744178   28196 pod_workers.go:1338] "Error syncing pod, skipping" err="failed to \"StartContainer\" for \"runner\" with RunContainerError: \"failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: \\\"/home/runner/start.sh\\\": stat /home/runner/start.sh: no such file or directory: unknown\"" pod="gha-tools/tools-x64-7cqhd-runner-m4k2p" podUID="3d11d75b-5d82-40e0-aa3e-6dec86620b21"`,
        ],
        rejects: [
          String.raw`"Error syncing pod, skipping" err="failed to \"StartContainer\" for \"runner\" with CrashLoopBackOff: \"back-off 10s restarting failed container=runner pod=linux-8g-0_ci(3d11d75b)\"" pod="ci/linux-8g-0"`,
          '"Error syncing pod, skipping" err="network is not ready: container runtime network not ready: NetworkReady=false" pod="arc-runners/linux-8g-k2xvq-runner-7hn4d"',
        ],
      },
    },
  ],
}
