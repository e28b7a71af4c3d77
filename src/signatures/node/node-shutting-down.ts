import type { Signature } from '#/core/evidence/signature.ts'

export const nodeShuttingDown: Signature = {
  id: 'node-shutting-down',
  says: 'The node is shutting down.',
  patterns: [
    {
      streams: ['kubelet'],
      regex: /Shutdown manager (?:killing pod with gracePeriod|detected new shutdown event|pod killing time out)/,
      literals: ['killing pod with gracePeriod', 'detected new shutdown event', 'pod killing time out'],
      strength: 'decisive',
      examples: {
        matches: ['"Shutdown manager killing pod with gracePeriod" pod="a/b" gracePeriod=20'],
        rejects: [
          'I1115 21:14:30.631354   18933 eviction_manager.go:635] "Eviction manager: pod is evicted successfully" pod="ci-media/media-xl-q7hdk-runner-z2b6w"',
        ],
      },
    },
    {
      streams: ['systemd'],
      regex:
        /systemd-shutdown\[\d+\]|Reached target (?:System )?(?:Power-Off|Reboot|Shutdown)|The system (?:is going down|will (?:power off|reboot)) now/,
      literals: ['systemd-shutdown[', 'Reached target ', 'The system '],
      strength: 'decisive',
      examples: {
        matches: ['systemd-logind: The system will power off now!'],
        rejects: ['neighbour: arp_cache: neighbor table overflow!'],
      },
    },
  ],
}
