import { limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { unreachable } from '#/core/why/exhaustion.ts'
import {
  concluded,
  crashEnds,
  crashedWorkers,
  foldedCrashes,
  refutedByStop,
  sigkills,
  workDone,
} from '#/core/why/weighing/shared-facts.ts'
import { theNode, thePod, upper, whileWorking } from '#/core/why/wording.ts'

export const networkFault: Cause = {
  id: 'network-fault',
  kind: 'death',
  meaning: 'the runner lived and could not reach GitHub',
  distinguishedBy:
    'The runner logs that it cannot connect and never that it reconnected, while its log continues. Lock renewals that continue rule it out.',
  settledBy: ['logs', 'journal'],
  weigh: (d) => {
    const cut = unreachable(d)
    const host = d.nodeClues('conntrack-full', 'network-tables-full', 'network-not-ready', 'lease-update-failed')
    return [
      ...supports(0.7, cut),
      ...supports(0.6, cut.length > 0 || d.working.github.lost.length > 0 ? host : []),
      ...supports(0.3, cut.length > 0 ? d.working.github.lost : []),
      ...supports(0.2, cut.length > 0 ? d.nodeState.silent : []),
      ...contradicts(workDone(d).filter(({ is }) => is === 'job-completed')),
      ...contradicts(concluded(d, 'success', 'cancelled', 'timed_out')),
      ...contradicts([...sigkills(d), ...crashEnds(d), ...foldedCrashes(d), ...crashedWorkers(d)]),
      ...refutedByStop(d),
      ...limitedWhile(cut.length === 0, "the runner's log line about a failed connection is missing", {
        missing: ['logs'],
      }),
    ]
  },
  sentence: (d) => `${upper(thePod(d))} was alive on ${theNode(d)} but could not reach GitHub${whileWorking(d)}.`,
  next: (d) =>
    d.nodeClues('conntrack-full').length > 0
      ? [
          `The connection table of ${theNode(d)} is full: raise net.netfilter.nf_conntrack_max, and find what opens the connections.`,
        ]
      : [
          `Check DNS and outbound connections (proxy, firewall, CNI) of ${theNode(d)} at that minute. Several runners at once point to the network, a single one to its pod.`,
        ],
}
