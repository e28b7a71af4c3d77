import { hostFindings } from './host-findings.ts'
import { loopFindings } from './loop-findings.ts'
import { stuckPods } from './never-starts.ts'
import { leaseRenewals, notReadyOf } from './not-ready.ts'
import { deadlyNodes } from './repeated-deaths.ts'
import type { DeadlyNode } from './repeated-deaths.ts'
import { nodeScenes } from './scene.ts'
import type { NodeScene } from './scene.ts'
import { printAge } from '#/core/basics/age.ts'
import type { Audit } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { printTime } from '#/core/basics/print-time.ts'

/** Enough of them to look at. */
const SHOWN = 5

function neverStarts(scene: NodeScene, { now, thresholds }: Fleet): readonly Finding[] {
  const stuck = stuckPods(scene, now, thresholds).toSorted((a, b) => a.since - b.since)
  const [first] = stuck
  if (first === undefined || stuck.length < thresholds.neverStartsPods) return []
  const { name, lastStart, node } = scene
  const shown = stuck
    .slice(0, SHOWN)
    .map(
      ({ pod, since, waits, word }) =>
        `${pod.namespace}/${pod.name} is on it for ${printAge(since, now)} and no container has started${waits === null ? '' : `: ${waits}`}${word === null ? '' : `; ${word.slice(0, 300)}`}`,
    )
  return [
    {
      class: 'never-starts-pods',
      severity: 'critical',
      subject: { kind: 'Node', name },
      evidence: [
        ...shown,
        ...(stuck.length > SHOWN ? [`${stuck.length - SHOWN} more pods stand there in the same way`] : []),
        Number.isFinite(lastStart.at)
          ? `the last pod that started on it did so at ${printTime(lastStart.at)}`
          : 'no pod is known to have started on it',
        ...(node?.isReady === true ? ['the node says that it is Ready'] : []),
      ],
      hint: `kubectl cordon ${name}, so that no further runner goes there; kubectl -n ${first.pod.namespace} describe pod ${first.pod.name} and the journals of its kubelet and container runtime say what is wrong; runners on it that have a job are left alone`,
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
    hint: `kubectl cordon ${node}, so that no further job is lost on it; signalbox why ${first?.name ?? ''} -n ${first?.namespace ?? ''} names the cause of one of them`,
    fields: { deaths: deaths.length, median, nodes: among },
  }
}

function notReady(scene: NodeScene, fleet: Fleet, renewals: ReadonlyMap<string, number>): readonly Finding[] {
  const { node, name } = scene
  const found = node === null ? null : notReadyOf(node, fleet, renewals.get(name) ?? null)
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
      hint: `kubectl describe node ${name}, and the journal of its kubelet; its pods are lost some minutes after it fell silent: signalbox audit network --at ${printTime(since ?? fleet.now)} tells what else happened then`,
      fields: { since: since === null ? null : printTime(since) },
    },
  ]
}

export const nodes: Audit = {
  id: 'nodes',
  asks: 'which node is lying about Ready?',
  about:
    'Ready says only that a kubelet reports. Here it is held against what the node does: whether pods that it took start, what it fails on while it comes up, how many runners die on it beside the other nodes, and how full the tables of its kernel are. A pod that waits for its image or for a volume that does not exist, and a single slow pod that others overtake, are not held against the node.',
  reads: [
    { source: 'kubernetes/nodes', weight: 'needed', tells: 'which nodes there are, and what they say of themselves' },
    { source: 'kubernetes/pods', weight: 'needed', tells: 'which pods started, which did not, and which runners died' },
    { source: 'kubernetes/events', weight: 'needed', tells: 'failures at the start of nodes and pods' },
    { source: 'kubernetes/leases', weight: 'useful', tells: 'when each kubelet was last heard of' },
    { source: 'kubernetes/machines', weight: 'useful', tells: 'machines that are to become nodes' },
    { source: 'kubernetes/ephemeralrunners', weight: 'useful', tells: 'failures that ARC recorded' },
    { source: 'kubernetes/autoscalingrunnersets', weight: 'useful', tells: 'which nodes runners may stand on' },
    { source: 'host', weight: 'useful', tells: "the kernel's tables of open files and control groups" },
  ],
  classes: [
    {
      class: 'never-starts-pods',
      severity: 'critical',
      meaning: 'the node takes pods and starts none of them, whatever it says of itself',
      next: 'Cordon it, read the journals of its kubelet and container runtime, and replace it when its jobs have ended.',
    },
    {
      class: 'bootstrap-loop',
      severity: 'warning',
      meaning: 'what the node needs to come up failed five times within an hour',
      next: 'Cordon it and mend what it starts with: its network plugin, its kubelet, or the script that makes the machine a node.',
    },
    {
      class: 'repeated-deaths',
      severity: 'warning',
      meaning: 'three or more runners died on it within an hour, three times as many as on the node in the middle',
      next: 'Cordon it, and ask signalbox why about one of the runners.',
    },
    {
      class: 'cgroup-leak',
      severity: 'warning',
      meaning: 'the kernel keeps far more control groups than the pods of the node need',
      next: 'Find the runtime that leaves them behind; reboot the node when its jobs have ended.',
    },
    {
      class: 'file-table-near-limit',
      severity: 'warning',
      meaning: "nine tenths of the kernel's table of open files are taken",
      next: 'Capture who holds them, then raise fs.file-max or bound the concurrency of the jobs.',
    },
    {
      class: 'not-ready',
      severity: 'warning',
      meaning: 'the node says that it is not ready, or its kubelet has fallen silent',
      next: 'Look at its kubelet; its pods are lost some minutes after it fell silent.',
    },
  ],
  applies: () => true,
  examine: (fleet, question) => {
    const scenes = nodeScenes(fleet, question)
    const renewals = leaseRenewals(fleet)
    const isAsked = ({ node }: DeadlyNode): boolean => question.nodes.length === 0 || question.nodes.includes(node)
    return [
      ...scenes.flatMap((scene) => neverStarts(scene, fleet)),
      ...loopFindings(scenes, fleet, question),
      ...deadlyNodes(fleet)
        .filter(isAsked)
        .map((deadly) => repeatedDeaths(deadly, fleet)),
      ...hostFindings(fleet, question),
      ...scenes.flatMap((scene) => notReady(scene, fleet, renewals)),
    ]
  },
}
