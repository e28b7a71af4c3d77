import type { Signature } from '#/core/evidence/signature.ts'

export const podDeleteSeen: Signature = {
  id: 'pod-delete-seen',
  says: 'The kubelet saw a delete of the pod.',
  patterns: [
    {
      streams: ['kubelet'],
      regex: /"SyncLoop DELETE" source="api" pods=\["(?<pod>[^"]+)"/,
      literals: ['"SyncLoop DELETE" source="api" pods=["'],
      strength: 'decisive',
      caution: 'Also printed for a forced delete; printed twice for a graceful one.',
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
