import type { Signature } from '#/core/evidence/signature.ts'

export const preemptedForCriticalPod: Signature = {
  id: 'preempted-for-critical-pod',
  says: 'The kubelet ended the pod to admit a critical one.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Preempting'],
      regex: /^Preempted in order to admit critical pod$/,
      literals: ['Preempted in order to admit critical pod'],
      strength: 'decisive',
      examples: {
        matches: ['Preempted in order to admit critical pod'],
        rejects: ['Attempting to reclaim ephemeral-storage'],
      },
    },
    {
      streams: ['kubelet'],
      regex: /Preempted in order to admit critical pod/,
      literals: ['Preempted in order to admit critical pod'],
      strength: 'decisive',
      examples: {
        matches: ['Preempted in order to admit critical pod'],
        rejects: ['unregister_netdevice: waiting for eth0 to become free. Usage count = 2'],
      },
    },
  ],
}
