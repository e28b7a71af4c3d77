import type { Signature } from '#/core/evidence/signature.ts'

export const shortGrace: Signature = {
  id: 'short-grace',
  says: 'The container got two seconds or less: a force delete, an eviction or a rejection.',
  patterns: [
    {
      streams: ['kubelet'],
      regex:
        /"Killing container with a grace period" .{0,400}?podUID="(?<uid>[0-9a-f-]+)" containerName="(?<container>[^"]{1,63})".{0,200}? gracePeriod=(?<seconds>[0-2])$/,
      literals: ['"Killing container with a grace period" '],
      strength: 'strong',
      examples: {
        matches: [
          'I1115 21:14:42.206495   18933 kuberuntime_container.go:909] "Killing container with a grace period" pod="arc-ads/ads-4vcpu-n8qcd-runner-w3k7v" podUID="5a46ab77-4782-4323-9774-7d3eb770f796" containerName="runner" containerID="containerd://f12f6750799e266d36636b3e28c225027c6e90ff77006bec51a1418bbbda2ec0" gracePeriod=2',
        ],
        rejects: [
          'I1115 20:42:16.965588   28196 kuberuntime_container.go:909] "Killing container with a grace period" pod="ci-runners/medium-runner-95zsq" podUID="aa7de278-f85e-4d87-81ad-bd248fe0aeff" containerName="runner" containerID="containerd://d808b5e8108b012f6dfa3eee532aeb9c8cbe4cd0e3afd25f7b3ec4349518ae23" gracePeriod=30',
        ],
      },
    },
  ],
}
