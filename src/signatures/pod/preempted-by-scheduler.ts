import type { Signature } from '#/core/evidence/signature.ts'

export const preemptedByScheduler: Signature = {
  id: 'preempted-by-scheduler',
  says: 'The scheduler preempted the pod for one of higher priority.',
  patterns: [
    {
      streams: ['event'],
      reasons: ['Preempted'],
      regex: /^Preempted by (?:pod )?(?<preemptor>\S+) on node (?<node>\S+)/,
      literals: ['Preempted by '],
      strength: 'decisive',
      examples: {
        matches: ['Preempted by pod 3f0e on node n1'],
        rejects: ['Preempted in order to admit critical pod'],
      },
    },
  ],
}
