import type { Signature } from '#/core/evidence/signature.ts'

export const evictionManager: Signature = {
  id: 'eviction-manager',
  says: 'The eviction manager of the kubelet is active.',
  patterns: [
    {
      streams: ['kubelet'],
      regex:
        /Eviction manager: (?:must evict pod\(s\) to reclaim|attempting to reclaim|pods ranked for eviction|pod is evicted successfully|pods evicted, waiting|pods successfully cleaned up)/,
      literals: [
        'must evict pod(s) to reclaim',
        'pods successfully cleaned up',
        'pod is evicted successfully',
        'pods ranked for eviction',
        'pods evicted, waiting',
        'attempting to reclaim',
      ],
      strength: 'decisive',
      examples: {
        matches: [
          'I1115 21:14:30.631354   18933 eviction_manager.go:635] "Eviction manager: pod is evicted successfully" pod="ci-media/media-xl-q7hdk-runner-z2b6w"',
        ],
        rejects: ['"Eviction manager: synchronize housekeeping"'],
      },
    },
  ],
}
