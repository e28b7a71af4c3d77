import { hostFindings } from './host-findings.ts'
import { loopFindings, readTroubles } from './loop-findings.ts'
import { faultBehind } from './machine-trouble.ts'
import type { MachineTrouble } from './machine-trouble.ts'
import { stuckPods } from './never-starts.ts'
import { leaseRenewals, findNotReady } from './not-ready.ts'
import { deadlyNodes } from './repeated-deaths.ts'
import type { DeadlyNode } from './repeated-deaths.ts'
import { buildNodeViews } from './view.ts'
import type { NodeView } from './view.ts'
import { printAge } from '#/core/basics/age.ts'
import type { Audit } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { printTime } from '#/core/basics/print-time.ts'

/** How many pods or deaths are listed. */
const SHOWN = 5

function neverStarts(view: NodeView, { now, thresholds }: Fleet, behind: MachineTrouble | null): readonly Finding[] {
  const stuck = stuckPods(view, now, thresholds).toSorted((a, b) => a.since - b.since)
  const [first] = stuck
  if (first === undefined || stuck.length < thresholds.neverStartsPods) return []
  const { name, lastStart, node } = view
  const fault = behind === null ? null : faultBehind(behind)
  const shown = stuck
    .slice(0, SHOWN)
    .map(
      ({ pod, since, waits, message: word }) =>
        `${pod.namespace}/${pod.name} has been on it for ${printAge(since, now)} and no container has started${waits === null ? '' : `: ${waits}`}${word === null ? '' : `; ${word.slice(0, 300)}`}`,
    )
  return [
    {
      class: 'never-starts-pods',
      severity: 'critical',
      subject: { kind: 'Node', name },
      evidence: [
        ...shown,
        ...(stuck.length > SHOWN ? [`${stuck.length - SHOWN} more pods are in the same state`] : []),
        Number.isFinite(lastStart.at)
          ? `the last pod start on it was at ${printTime(lastStart.at)}`
          : 'no pod is known to have started on it',
        ...(node?.isReady === true ? ['the node reports Ready'] : []),
        ...(fault === null ? [] : [`${behind?.subject.kind} ${behind?.subject.name}: ${fault.what}`]),
      ],
      hint: `${fault === null ? '' : `${fault.fix}; `}kubectl cordon ${name}, so that no more runners are scheduled there; kubectl -n ${first.pod.namespace} describe pod ${first.pod.name} and the journals of its kubelet and container runtime show what is wrong; leave runners on it that have a job alone`,
      fields: { stuck: stuck.length, since: printTime(first.since) },
    },
  ]
}

function repeatedDeaths({ node, deaths, median, among }: DeadlyNode, { thresholds }: Fleet): Finding {
  const [first] = deaths
  return {
    class: 'repeated-deaths',
    severity: 'warning',
    subject: { kind: 'Node', name: node },
    evidence: [
      `${deaths.length} runners died on it within ${thresholds.repeatedDeathsWindow / 60_000} minutes; the median of ${among} nodes is ${median}`,
      ...deaths
        .slice(0, SHOWN)
        .map(({ namespace, name, at, how }) => `${namespace}/${name} at ${printTime(at)}: ${how.slice(0, 300)}`),
    ],
    hint: `kubectl cordon ${node}, so that no more jobs are lost on it; signalbox why ${first?.name ?? ''} -n ${first?.namespace ?? ''} shows the cause of one death`,
    fields: { deaths: deaths.length, median, nodes: among },
  }
}

function notReady(view: NodeView, fleet: Fleet, renewals: ReadonlyMap<string, number>): readonly Finding[] {
  const { node, name } = view
  const found = node === null ? null : findNotReady(node, fleet, renewals.get(name) ?? null)
  if (node === null || found === null) return []
  const { why, since } = found
  return [
    {
      class: 'not-ready',
      severity: 'warning',
      subject: { kind: 'Node', name },
      evidence: [
        `${why}${since === null ? '' : `, since ${printTime(since)} (${printAge(since, fleet.now)})`}`,
        ...(node.isCordoned ? ['it is cordoned'] : []),
      ],
      hint: `kubectl describe node ${name}, and the journal of its kubelet; its pods are lost some minutes after the kubelet stopped responding: signalbox audit network --at ${printTime(since ?? fleet.now)} shows what else happened then`,
      fields: { since: since === null ? null : printTime(since) },
    },
  ]
}

export const nodes: Audit = {
  id: 'nodes',
  asks: 'which node is lying about Ready?',
  about:
    'Ready means only that a kubelet reports. This audit compares it with what the node does: whether its pods start, what fails while it boots, how many runners die on it compared with other nodes, and how full its kernel tables are. A pod that waits for its image or for a missing volume, and a single slow pod that others overtake, do not count against the node.',
  reads: [
    { source: 'kubernetes/nodes', weight: 'needed', gives: 'which nodes exist, and their conditions' },
    { source: 'kubernetes/pods', weight: 'needed', gives: 'which pods started, and which runners died' },
    { source: 'kubernetes/events', weight: 'needed', gives: 'startup failures of nodes and pods' },
    { source: 'kubernetes/leases', weight: 'useful', gives: 'when each kubelet last renewed its lease' },
    { source: 'kubernetes/machines', weight: 'useful', gives: 'machines that should become nodes' },
    { source: 'kubernetes/ephemeralrunners', weight: 'useful', gives: 'failures that ARC recorded' },
    { source: 'kubernetes/autoscalingrunnersets', weight: 'useful', gives: 'which nodes fit runners' },
    { source: 'host', weight: 'useful', gives: "the kernel's file table and control groups" },
  ],
  classes: [
    {
      class: 'never-starts-pods',
      severity: 'critical',
      meaning: 'the node accepts pods and starts none of them, even if it reports Ready',
      next: 'Cordon it, read the journals of its kubelet and container runtime, and replace it after its jobs have finished.',
    },
    {
      class: 'bootstrap-loop',
      severity: 'warning',
      meaning:
        'something that the node needs to boot failed five times within an hour; critical where the fault is known to never resolve itself (pf: cannot define table … Resource busy)',
      next: 'Cordon it and fix what fails at boot: its network plugin, its kubelet, or its bootstrap script. For a busy pf table: pfctl -a ANCHOR -F all before the reload, in a released operator image.',
    },
    {
      class: 'repeated-deaths',
      severity: 'warning',
      meaning: 'three or more runners died on it within an hour, three times the median of the nodes',
      next: 'Cordon it, and run signalbox why for one of the runners.',
    },
    {
      class: 'cgroup-leak',
      severity: 'warning',
      meaning: 'the kernel keeps far more control groups than the pods of the node need',
      next: 'Find the runtime that leaks them; reboot the node after its jobs have finished.',
    },
    {
      class: 'file-table-near-limit',
      severity: 'warning',
      meaning: "90 % of the kernel's file table is in use",
      next: 'Record what holds the files, then raise fs.file-max or limit the concurrency of the jobs.',
    },
    {
      class: 'not-ready',
      severity: 'warning',
      meaning: 'the node reports not ready, or its kubelet has stopped renewing its lease',
      next: 'Check its kubelet; its pods are lost some minutes after it stopped responding.',
    },
  ],
  applies: () => true,
  examine: (fleet, question) => {
    const views = buildNodeViews(fleet, question)
    const renewals = leaseRenewals(fleet)
    const isAsked = ({ node }: DeadlyNode): boolean => question.nodes.length === 0 || question.nodes.includes(node)
    const troubles = readTroubles(fleet)
    const starts = views.flatMap((view) => neverStarts(view, fleet, troubles.behind(view.name)))
    const neverStarting = new Set(starts.map(({ subject }) => subject.name))
    return [
      ...starts,
      ...loopFindings(views, fleet, question, { troubles, neverStarting }),
      ...deadlyNodes(fleet)
        .filter(isAsked)
        .map((deadly) => repeatedDeaths(deadly, fleet)),
      ...hostFindings(fleet, question),
      ...views.flatMap((view) => notReady(view, fleet, renewals)),
    ]
  },
}
