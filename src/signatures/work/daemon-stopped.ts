import type { Signature } from '#/core/evidence/signature.ts'

export const daemonStopped: Signature = {
  id: 'daemon-stopped',
  says: 'The Docker daemon beside the runner was asked to stop.',
  patterns: [
    {
      streams: ['job-log'],
      regex: /Processing signal '(?<signal>terminated|interrupt|quit)'/,
      literals: ["Processing signal '"],
      strength: 'medium',
      caution: 'Normal when the runner has ended: the kubelet then stops all other containers of the pod.',
      examples: {
        matches: [`time="2026-07-08T12:41:42.3Z" level=info msg="Processing signal 'terminated'"`],
        rejects: ['time="2026-07-08T12:41:50.7Z" level=info msg="Daemon shutdown complete"'],
      },
    },
  ],
}
