import type { Signature } from '#/core/evidence/signature.ts'

export const unitFailed: Signature = {
  id: 'unit-failed',
  says: 'A systemd unit of the host failed.',
  patterns: [
    {
      streams: ['systemd'],
      regex: /(?<unit>\S{1,256}): Failed with result '(?<result>oom-kill|signal|exit-code|timeout|core-dump|watchdog)'/,
      literals: [": Failed with result '"],
      strength: 'strong',
      examples: {
        matches: ["kubelet.service: Failed with result 'oom-kill'."],
        rejects: ['Started kubelet.service - kubelet: The Kubernetes Node Agent.'],
      },
    },
  ],
}
