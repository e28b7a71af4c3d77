import { WEIGHT, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { evictions, reasonFact } from '#/core/why/weighing/shared-facts.ts'
import { condition, refusedByAdmission, scheduledFacts } from '#/core/why/weighing/not-started.ts'
import { thePod, upper } from '#/core/why/wording.ts'

export const unschedulable: Cause = {
  id: 'unschedulable',
  kind: 'never-started',
  meaning: 'the scheduler found no node: resources, taints, volumes, pod slots',
  distinguishedBy:
    'PodScheduled is False and no node is set. A pod that was scheduled after all died of something else. A rejection by the kubelet (OutOfcpu and similar) counts here too.',
  settledBy: ['kubernetes/pods', 'kubernetes/events'],
  isProvenByStatus: true,
  weigh: (d) => {
    const rejected = [
      ...refusedByAdmission(d),
      ...(d.ran.length === 0 && d.pod?.startedAt === null ? evictions(d).rejected : []),
      ...reasonFact(d, /^NodeShutdown$/),
    ]
    return [
      ...supports(0.96, condition(d, 'PodScheduled', 'False')),
      ...supports(WEIGHT.decisive, d.subjectClues('unschedulable')),
      ...supports(0.93, rejected),
      ...contradicts(d.ran),
      ...(rejected.length > 0 ? [] : contradicts(scheduledFacts(d))),
    ]
  },
  sentence: (d) => `${upper(thePod(d))} never ran: no node could take it.`,
  next: (d) => {
    const why = [...d.subjectClues('unschedulable'), ...condition(d, 'PodScheduled', 'False')]
      .map(({ text }) => text)
      .join(' ')
    if (/Insufficient/.test(why))
      return [
        `The nodes lack what the pod requests (${/Insufficient [\w./-]+/.exec(why)?.[0]}): compare the requests of the lane with what the nodes have left, and find what uses the rest.`,
      ]
    if (/taint/.test(why))
      return ['The pod does not tolerate the taints of the nodes: compare its tolerations with the node pool.']
    if (/persistentvolumeclaim/i.test(why))
      return ['A volume claim is missing or not bound: check the claim and its storage class.']
    if (refusedByAdmission(d).some(({ text }) => /NodePorts|HostPort/.test(text)))
      return [
        'Another pod of the node holds the host port that it asks for: leave host ports out of service containers, or spread such pods by anti-affinity.',
      ]
    if (/Too many pods/.test(why)) return ['Every node is at its pod limit: raise maxPods or add nodes.']
    return ['Read the FailedScheduling message: it counts the nodes by what they lack.']
  },
}
