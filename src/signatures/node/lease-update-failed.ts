import type { Signature } from '#/core/evidence/signature.ts'

export const leaseUpdateFailed: Signature = {
  id: 'lease-update-failed',
  says: 'The kubelet cannot reach the API server.',
  patterns: [
    {
      streams: ['kubelet'],
      regex:
        /"Failed to update lease"|"Failed to ensure lease exists, will retry"|"Error updating node status, will retry"|"Unable to update node status"/,
      literals: [
        'Failed to ensure lease exists, will retry"',
        'Error updating node status, will retry"',
        'Unable to update node status"',
        'Failed to update lease"',
      ],
      strength: 'strong',
      examples: {
        matches: ['"Failed to update lease" err="Put https://10.0.0.1:6443: context deadline exceeded"'],
        rejects: [
          'level=error msg="failed to delete dead shim" error="open /run/vc/sbs/x: no such file or directory" id=x',
        ],
      },
    },
  ],
}
