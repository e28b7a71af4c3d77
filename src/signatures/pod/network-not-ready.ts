import type { Signature } from '#/core/evidence/signature.ts'

export const networkNotReady: Signature = {
  id: 'network-not-ready',
  says: 'The network of the node is not ready.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['NetworkNotReady'],
      regex: /^network is not ready: /,
      literals: ['network is not ready: '],
      strength: 'decisive',
      examples: {
        matches: [
          'network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady',
        ],
        rejects: ['Container runtime did not kill the pod within specified grace period.'],
      },
    },
    {
      streams: ['kubelet'],
      regex: /Container runtime network not ready|cni plugin not initialized|NetworkPluginNotReady/,
      literals: ['Container runtime network not ready', 'cni plugin not initialized', 'NetworkPluginNotReady'],
      strength: 'decisive',
      examples: {
        matches: [
          '"Container runtime network not ready" networkReady="NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized"',
        ],
        rejects: [
          '"Pod admission denied" pod="arc-runners/linux-8g-k2xvq-runner-7hn4d" reason="Evicted" message="The node had condition: [DiskPressure]. " operation="add"',
        ],
      },
    },
  ],
}
