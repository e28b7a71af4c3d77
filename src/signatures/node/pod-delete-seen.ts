import type { Signature } from '#/core/evidence/signature.ts'

export const podDeleteSeen: Signature = {
  id: 'pod-delete-seen',
  says: 'The kubelet saw that the pod is to be deleted.',
  patterns: [
    {
      streams: ['kubelet'],
      regex: /"SyncLoop DELETE" source="api" pods=\["(?<pod>[^"]+)"/,
      literals: ['"SyncLoop DELETE" source="api" pods=["'],
      strength: 'decisive',
      caution: 'Printed for forced deletes too; twice for an ordinary one.',
      examples: {
        matches: [
          'I1115 20:42:09.065097   28196 kubelet.go:2725] "SyncLoop DELETE" source="api" pods=["billing/ledger-sync-29912918-nhvwk"]',
        ],
        rejects: [
          'I1115 20:42:09.065169   28196 kubelet.go:2719] "SyncLoop REMOVE" source="api" pods=["billing/ledger-sync-29912918-nhvwk"]',
        ],
      },
    },
  ],
}
