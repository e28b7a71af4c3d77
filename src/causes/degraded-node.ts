import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { failedInit, isOwnMount, neverStarted, stuckCreating, waiting } from '#/core/why/weighing/not-started.ts'
import { reasonFact } from '#/core/why/weighing/shared-facts.ts'
import { theNode, thePod, clueField, upper } from '#/core/why/wording.ts'

export const degradedNode: Cause = {
  id: 'degraded-node',
  kind: 'never-started',
  meaning: 'the node took the pod and could not start it, whatever its Ready condition says',
  distinguishedBy:
    'The setup of sandbox, network, device or cgroup failed before the container existed. Other pods on the node are stuck in the same way.',
  settledBy: ['kubernetes/events', 'kubernetes/pods', 'journal'],
  weigh: (d) => [
    ...supports(0.9, d.subjectClues('sandbox-failed')),
    ...supports(0.9, d.subjectClues('cgroup-table-full')),
    ...supports(0.85, d.subjectClues('network-not-ready')),
    ...supports(
      0.75,
      d.subjectClues('volume-mount-failed').filter((fact) => !isOwnMount(fact)),
    ),
    ...supports(0.6, reasonFact(d, /^UnexpectedAdmissionError$/)),
    ...supports(WEIGHT.medium, d.nodeClues('network-not-ready', 'vm-start-failed')),
    ...supports(WEIGHT.strong, d.subjectClues('vm-start-failed')),
    ...supports(0.65, stuckCreating(d)),
    ...contradicts(d.ran),
    ...contradicts(neverStarted(d)),
    ...contradicts(failedInit(d)),
    ...contradicts(waiting(d, /ImagePull|ConfigError/)),
    ...limitedWhile(d.subject.node === null && d.pod !== null, 'the pod has no node yet'),
  ],
  sentence: (d) =>
    `${upper(theNode(d))} accepted ${thePod(d)} but could not start it${clueField(d, 'sandbox-failed', 'why') === null ? '' : `: ${clueField(d, 'sandbox-failed', 'why')}`}.`,
  next: (d) => [
    `Cordon ${d.subject.node ?? 'the node'}, read the errors of the container runtime and the network plugin in its journal, and let the pod be recreated on another node.`,
    ...(d.subjectClues('cgroup-table-full').length > 0
      ? [
          'The cgroup table is full, not the disk: look for leaked cgroups (/proc/cgroups), often from a runtime with the wrong cgroup driver.',
        ]
      : []),
  ],
}
