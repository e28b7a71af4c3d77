import type { Signature } from '#/core/evidence/signature.ts'

export const nodeSlow: Signature = {
  id: 'node-slow',
  says: 'The node is so busy that its own programs run late.',
  patterns: [
    {
      streams: ['kubelet'],
      regex:
        /[Hh]ousekeeping took (?:longer than expected|too long|longer than \d+s).{0,200}? (?:actual|time)="?(?<time>\d{2,}(?:\.\d+)?s|\d+m)/,
      literals: ['ousekeeping took '],
      strength: 'medium',
      examples: {
        matches: [
          'E0120 09:25:01.293514    1290 kubelet.go:2627] "Housekeeping took longer than expected" err="housekeeping took too long" expected="1s" actual="23.965344065s"',
        ],
        rejects: [
          '"Housekeeping took longer than expected" err="housekeeping took too long" expected="1s" actual="1.965344065s"',
        ],
      },
    },
    {
      streams: ['kernel'],
      regex:
        /sched: (?:DL|RT) (?:replenish lagged too much|throttling activated)|workqueue: \S{1,100} hogged CPU for >\d+us (?:[1-9]\d|\d{3,}) times|Watchdog detected hard LOCKUP|clocksource: timekeeping watchdog on CPU\d+: Marking clocksource|rcu: \S{1,60} kthread (?:timer wakeup didn.t happen|starved) for/,
      literals: [
        'throttling activated',
        'replenish lagged too much',
        ' hogged CPU for >',
        'Watchdog detected hard LOCKUP',
        'Marking clocksource',
        ' kthread ',
      ],
      strength: 'medium',
      examples: {
        matches: [
          'sched: RT throttling activated',
          'NMI watchdog: Watchdog detected hard LOCKUP on cpu 3',
          'rcu: rcu_preempt kthread starved for 2503 jiffies! g81 f0x0',
        ],
        rejects: ['workqueue: drain_vmap_area_work hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND'],
      },
    },
  ],
}
