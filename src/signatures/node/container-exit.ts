import type { Signature } from '#/core/evidence/signature.ts'

export const containerExit: Signature = {
  id: 'container-exit',
  says: 'A container ended with an exit code, as the node saw it.',
  patterns: [
    {
      streams: ['containerd'],
      regex: /received (?:container )?exit event .*?exit_status:(?<code>\d+)/,
      literals: ['exit_status:'],
      strength: 'strong',
      examples: {
        matches: ['received container exit event container_id:"x" id:"x" pid:1 exit_status:255 exited_at:{seconds:1}'],
        rejects: [
          'time="2026-11-15T20:42:06.088919902Z" level=info msg="shim disconnected" id=aef6df33d7eaf8ddbde9b478696f81229aaf7cdd4c17f110ee285d3f5faa995d',
        ],
      },
    },
    {
      streams: ['kubelet'],
      regex:
        /"Generic \(PLEG\): container finished" podID="(?<uid>[0-9a-f-]+)" containerID="(?<container>[0-9a-f]+)" exitCode=(?<code>\d+)/,
      literals: ['"Generic (PLEG): container finished" podID="'],
      strength: 'decisive',
      examples: {
        matches: [
          'I1115 21:14:45.042108   18933 generic.go:413] "Generic (PLEG): container finished" podID="5a46ab77-4782-4323-9774-7d3eb770f796" containerID="f12f6750799e266d36636b3e28c225027c6e90ff77006bec51a1418bbbda2ec0" exitCode=137',
        ],
        rejects: [
          'I1115 20:42:06.929836   28196 kubelet.go:2737] "SyncLoop (PLEG): event for pod" pod="billing/ledger-sync-29912922-5tnq2" event={"ID":"9a20d270-5bba-49ef-ace6-c7ce60d1c23f","Type":"ContainerDied","Data":"aef6df33d7eaf8ddbde9b478696f81229aaf7cdd4c17f110ee285d3f5faa995d"}',
        ],
      },
    },
  ],
}
