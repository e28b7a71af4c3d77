import type { Signature } from '#/core/evidence/signature.ts'

export const nodeAgentStarted: Signature = {
  id: 'node-agent-started',
  says: 'The kubelet or containerd started.',
  patterns: [
    {
      streams: ['systemd'],
      regex:
        /Started (?:kubelet\.service|Kubernetes kubelet)|Starting (?:containerd\.service|containerd container runtime)/,
      literals: ['Kubernetes kubelet', 'kubelet.service', 'ing containerd'],
      strength: 'medium',
      examples: {
        matches: ['Started kubelet.service - kubelet: The Kubernetes Node Agent.'],
        rejects: ["kubelet.service: Failed with result 'oom-kill'."],
      },
    },
  ],
}
