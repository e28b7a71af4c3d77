import { WEIGHT, limitedWhile, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { failedInit, isOwnMount, neverStarted, stuckCreating, waiting } from '#/core/why/not-started.ts'
import { reasonFact } from '#/core/why/grounds.ts'
import { theNode, thePod, toldBy, upper } from '#/core/why/wording.ts'

export const degradedNode: Cause = {
  id: 'degraded-node',
  kind: 'never-started',
  meaning: 'the node took the pod and could not start it, whatever its Ready condition says',
  toldApart:
    'The setup of sandbox, network, device or cgroup failed before the container existed. Other pods on the node are stuck in the same way.',
  settledBy: ['kubernetes/events', 'kubernetes/pods', 'journal'],
  weigh: (d) => [
    ...speaksFor(0.9, d.told('sandbox-failed')),
    ...speaksFor(0.9, d.told('cgroup-table-full')),
    ...speaksFor(0.85, d.told('network-not-ready')),
    ...speaksFor(
      0.75,
      d.told('volume-mount-failed').filter((fact) => !isOwnMount(fact)),
    ),
    ...speaksFor(0.6, reasonFact(d, /^UnexpectedAdmissionError$/)),
    ...speaksFor(WEIGHT.medium, d.ofNode('network-not-ready', 'vm-start-failed')),
    ...speaksFor(WEIGHT.strong, d.told('vm-start-failed')),
    ...speaksFor(0.65, stuckCreating(d)),
    ...speaksAgainst(d.ran),
    ...speaksAgainst(neverStarted(d)),
    ...speaksAgainst(failedInit(d)),
    ...speaksAgainst(waiting(d, /ImagePull|ConfigError/)),
    ...limitedWhile(d.subject.node === null && d.pod !== null, 'the pod has no node yet'),
  ],
  sentence: (d) =>
    `${upper(theNode(d))} accepted ${thePod(d)} but could not start it${toldBy(d, 'sandbox-failed', 'why') === null ? '' : `: ${toldBy(d, 'sandbox-failed', 'why')}`}.`,
  next: (d) => [
    `Cordon ${d.subject.node ?? 'the node'}, read the errors of the container runtime and the network plugin in its journal, and let the pod be recreated on another node.`,
    ...(d.told('cgroup-table-full').length > 0
      ? [
          'The cgroup table is full, not the disk: look for leaked cgroups (/proc/cgroups), often from a runtime with the wrong cgroup driver.',
        ]
      : []),
  ],
}
