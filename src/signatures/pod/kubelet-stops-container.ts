import type { Signature } from '#/core/evidence/signature.ts'

export const kubeletStopsContainer: Signature = {
  id: 'kubelet-stops-container',
  says: 'The kubelet stops the container.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Killing'],
      regex: /^Stopping container (?<container>\S+)$/,
      literals: ['Stopping container '],
      strength: 'decisive',
      caution:
        'Recorded for every stop by the kubelet: a delete, forced or not, an eviction, a deadline, a failed probe. It says that the kubelet stopped the container, never why.',
      examples: {
        matches: ['Stopping container runner'],
        rejects: ['Killing container with id containerd://runner: Need to kill Pod'],
      },
    },
    {
      streams: ['kubelet'],
      regex:
        /"Killing container with a grace period(?: override)?" pod="(?<pod>[^"]+)".{0,300}? containerName="(?<container>[^"]+)".{0,300}? gracePeriod=(?<seconds>\d+)/,
      literals: ['"Killing container with a grace period'],
      strength: 'decisive',
      examples: {
        matches: [
          'I1115 20:42:16.965588   28196 kuberuntime_container.go:909] "Killing container with a grace period" pod="ci-runners/medium-runner-95zsq" podUID="aa7de278-f85e-4d87-81ad-bd248fe0aeff" containerName="runner" containerID="containerd://d808b5e8108b012f6dfa3eee532aeb9c8cbe4cd0e3afd25f7b3ec4349518ae23" gracePeriod=30',
        ],
        rejects: [
          'I1115 20:42:09.065097   28196 kubelet.go:2725] "SyncLoop DELETE" source="api" pods=["billing/ledger-sync-29912918-nhvwk"]',
        ],
      },
    },
  ],
}
