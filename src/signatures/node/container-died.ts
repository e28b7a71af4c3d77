import type { Signature } from '#/core/evidence/signature.ts'

export const containerDied: Signature = {
  id: 'container-died',
  says: 'The kubelet noticed that a container ended.',
  patterns: [
    {
      streams: ['kubelet'],
      regex:
        /"SyncLoop \(PLEG\): event for pod" pod="(?<pod>[^"]+)" event=\{"ID":"(?<uid>[0-9a-f-]+)","Type":"ContainerDied","Data":"(?<container>[0-9a-f]+)"\}/,
      literals: ['"SyncLoop (PLEG): event for pod" pod="'],
      strength: 'context',
      examples: {
        matches: [
          'I1115 20:42:06.929836   28196 kubelet.go:2737] "SyncLoop (PLEG): event for pod" pod="billing/ledger-sync-29912922-5tnq2" event={"ID":"9a20d270-5bba-49ef-ace6-c7ce60d1c23f","Type":"ContainerDied","Data":"aef6df33d7eaf8ddbde9b478696f81229aaf7cdd4c17f110ee285d3f5faa995d"}',
        ],
        rejects: [
          'I1115 20:41:47.604621   28196 kubelet.go:2737] "SyncLoop (PLEG): event for pod" pod="ci-runners/medium-5h8zr-runner-w8s4n" event={"ID":"de14b67f-9f33-4ae6-a383-886b2697f0db","Type":"ContainerStarted","Data":"077571669eb813562a928ed62a512ecd158e9e339c3b654075ff3b57b8628fcf"}',
        ],
      },
    },
  ],
}
