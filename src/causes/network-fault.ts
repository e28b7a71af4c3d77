import { limitedWhile, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { unreachable } from '#/core/why/exhaustion.ts'
import { concluded, refutedByStop, sigkills, workDone } from '#/core/why/grounds.ts'
import { theNode, thePod, upper, whileWorking } from '#/core/why/wording.ts'

export const networkFault: Cause = {
  id: 'network-fault',
  kind: 'death',
  meaning: 'the runner lived and could not reach GitHub',
  toldApart:
    'The runner says that it cannot connect and never says that it reconnected, while its log goes on. Renewals that continue refute it.',
  settledBy: ['logs', 'journal'],
  weigh: (d) => {
    const cut = unreachable(d)
    const host = d.ofNode('conntrack-full', 'network-tables-full', 'network-not-ready', 'lease-update-failed')
    return [
      ...speaksFor(0.7, cut),
      ...speaksFor(0.6, cut.length > 0 || d.working.github.lost.length > 0 ? host : []),
      ...speaksFor(0.3, cut.length > 0 ? d.working.github.lost : []),
      ...speaksFor(0.2, cut.length > 0 ? d.fate.silent : []),
      ...speaksAgainst(workDone(d).filter(({ is }) => is === 'job-completed')),
      ...speaksAgainst(concluded(d, 'success', 'cancelled', 'timed_out')),
      ...speaksAgainst(sigkills(d)),
      ...refutedByStop(d),
      ...limitedWhile(cut.length === 0, "the runner's own word that it could not connect is missing", {
        missing: ['logs'],
      }),
    ]
  },
  sentence: (d) => `${upper(thePod(d))} lived on ${theNode(d)} and could not reach GitHub${whileWorking(d)}.`,
  next: (d) =>
    d.ofNode('conntrack-full').length > 0
      ? [
          `The connection table of ${theNode(d)} is full: raise net.netfilter.nf_conntrack_max, and find who opens the connections.`,
        ]
      : [
          `Test name resolution and the way out from ${theNode(d)} at that minute (proxy, firewall, CNI); several runners at once point to the network, one to its pod.`,
        ],
}
