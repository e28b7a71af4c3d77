import type { Signature } from '#/core/evidence/signature.ts'

export const spotNotice: Signature = {
  id: 'spot-notice',
  says: 'The cloud announced that it will reclaim the machine.',
  patterns: [
    {
      streams: ['cloud'],
      regex: /"action":\s*"(?<action>terminate|stop|hibernate)"/,
      literals: ['"action":'],
      strength: 'decisive',
      examples: {
        matches: ['{"action": "terminate", "time": "2026-09-18T08:22:00Z"}'],
        rejects: ['KVM internal error. Suberror: 1'],
      },
    },
    {
      streams: ['cloud'],
      regex: /"EventType":\s*"Preempt"/,
      literals: ['"EventType":'],
      strength: 'decisive',
      examples: {
        matches: ['{"EventType": "Preempt", "NotBefore": "x"}'],
        rejects: ['Preempted in order to admit critical pod'],
      },
    },
    {
      streams: ['event'],
      regex: /SpotInterrupt\w*|RebalanceRecommendation|ScheduledMaintenance|InstanceTerminated/,
      literals: ['RebalanceRecommendation', 'ScheduledMaintenance', 'InstanceTerminated', 'SpotInterrupt'],
      strength: 'strong',
      examples: {
        matches: ['SpotInterrupted'],
        rejects: ['KVM internal error. Suberror: 1'],
      },
    },
  ],
}
