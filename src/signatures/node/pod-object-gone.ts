import type { Signature } from '#/core/evidence/signature.ts'

export const podObjectGone: Signature = {
  id: 'pod-object-gone',
  says: 'The kubelet saw that the pod object is gone.',
  patterns: [
    {
      streams: ['kubelet'],
      regex: /"SyncLoop REMOVE" source="api" pods=\["(?<pod>[^"]+)"/,
      literals: ['"SyncLoop REMOVE" source="api" pods=["'],
      strength: 'decisive',
      caution:
        'Only the order counts: before the end of the container it means that the pod was force-deleted while running.',
      examples: {
        matches: [
          'I1115 20:42:09.065169   28196 kubelet.go:2719] "SyncLoop REMOVE" source="api" pods=["billing/ledger-sync-29912918-nhvwk"]',
        ],
        rejects: [
          'I1115 20:42:09.065097   28196 kubelet.go:2725] "SyncLoop DELETE" source="api" pods=["billing/ledger-sync-29912918-nhvwk"]',
        ],
      },
    },
    {
      streams: ['kubelet'],
      regex:
        /"Failed to get status for pod" err="pods \\"(?<pod>[^"\\]+)\\" is forbidden: User \\"system:node:[^"\\]+\\" .{0,300}no relationship found between node/,
      literals: [String.raw`"Failed to get status for pod" err="pods \"`],
      strength: 'medium',
      examples: {
        matches: [
          String.raw`E1115 20:38:07.646469   28196 status_manager.go:1164] "Failed to get status for pod" err="pods \"android-emu-x9vtl-runner-2fzqs\" is forbidden: User \"system:node:runner-node-1\" cannot get resource \"pods\" in API group \"\" in the namespace \"ci-android\": no relationship found between node 'runner-node-1' and this object" podUID="5cdf416e-a877-4c36-9d88-51bbb5fcc100" pod="ci-android/android-emu-x9vtl-runner-2fzqs"`,
        ],
        rejects: [
          String.raw`E1115 20:42:18.057002   28196 remote_runtime.go:569] "ContainerStatus from runtime service failed" err="rpc error: code = NotFound desc = an error occurred when try to find container \"eeffaa81c4c2b614067ff094a8d8b5a09b7f9522330f1da1bd1e4e4e10959236\": not found" containerID="eeffaa81c4c2b614067ff094a8d8b5a09b7f9522330f1da1bd1e4e4e10959236"`,
        ],
      },
    },
  ],
}
