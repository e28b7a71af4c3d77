import { askedOf } from './asked.ts'
import { fieldsOf, interruptions, windowOf } from './findings.ts'
import { NETWORK_MENTIONS } from './log-signs.ts'
import { couldSee, unseenParts } from './looked.ts'
import { sceneOf } from './scene.ts'
import type { Scene } from './scene.ts'
import type { Audit } from '#/core/audit/audit.ts'
import { BLIND_CLASS, blindFinding } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'

/** Neither a person nor a source said enough to begin. */
function cannotBegin(why: string): Finding {
  return {
    class: BLIND_CLASS,
    severity: 'warning',
    subject: { kind: 'Source', name: 'kubernetes/pods' },
    evidence: [why],
    hint: 'signalbox audit network --runner NAME takes the name of a runner or of its pod; --at TIME asks about a moment alone',
  }
}

function nothingFound(scene: Scene): Finding {
  const { asked } = scene
  const where = asked.runner === null ? `${asked.nodes.length} nodes` : `its node ${asked.runner.node}`
  return {
    class: 'no-cluster-evidence',
    severity: 'info',
    subject: asked.subject,
    evidence: [
      `events, nodes, pods and leases were read and show no interruption: ${where}, the network plugin, the API server and the name service`,
      windowOf(scene),
    ],
    hint:
      asked.runner === null
        ? 'the cluster did not interrupt its runners then; ask signalbox why about a single runner'
        : `signalbox why ${asked.runner.podName} looks inside the runner: memory, exit code, its own words`,
    fields: fieldsOf(scene),
  }
}

export const network: Audit = {
  id: 'network',
  asks: "was the cluster's network or API interrupted when this runner died?",
  about:
    "Looks at the 20 minutes before and the 2 minutes after the end of a runner's job, because GitHub gives a silent runner up only after some ten minutes. The end is GitHub's completed_at, else the end of the pod. Only the runner's own node counts for what a node did; what it did while it first came up is no interruption. Events that do not reach back to that time are told as not seen.",
  reads: [
    { source: 'kubernetes/events', weight: 'needed', tells: 'what nodes, kubelets and controllers reported' },
    {
      source: 'kubernetes/nodes',
      weight: 'needed',
      tells: 'since when nodes are ready or under pressure, and which are gone',
    },
    {
      source: 'kubernetes/pods',
      weight: 'needed',
      tells: "the runner's end, and restarts of network plugin, name service and API server",
    },
    { source: 'kubernetes/leases', weight: 'needed', tells: 'when kubelets and API servers were last heard of' },
    { source: 'kubernetes/ephemeralrunners', weight: 'useful', tells: 'which pod a runner is' },
    { source: 'kubernetes/namespaces', weight: 'useful', tells: 'whether events went with their namespace' },
    {
      source: 'kubernetes/audit',
      weight: 'useful',
      tells: 'answers that the API server could not give, and its silence',
    },
    { source: 'logs', weight: 'useful', tells: 'lines of ARC and the runner about refused connections and lost names' },
    { source: 'github/jobs', weight: 'useful', tells: "when the runner's job ended" },
    { source: 'github/queued-jobs', weight: 'useful', tells: 'jobs that are not over' },
  ],
  mentions: NETWORK_MENTIONS,
  classes: [
    {
      class: 'node-not-ready',
      severity: 'warning',
      meaning: "the runner's own node was not ready within the window",
      next: 'Look at the kubelet and the machine of that node; run the job again.',
    },
    {
      class: 'cni-restart',
      severity: 'warning',
      meaning: "the network plugin on the runner's node was restarted or away within the window",
      next: 'Find out why it went down; a rollout of the plugin cuts off running jobs.',
    },
    {
      class: 'api-server-gap',
      severity: 'warning',
      meaning: 'the API server, or the way to it, was away within the window',
      next: 'Look at the control plane around that time.',
    },
    {
      class: 'dns-gap',
      severity: 'warning',
      meaning: "the cluster's name service was restarted, not ready or did not answer within the window",
      next: 'Run at least two of its pods on different nodes, and find out why it went down.',
    },
    {
      class: 'eviction-or-pressure',
      severity: 'warning',
      meaning: 'the runner was evicted or preempted, or its node was short of disk, memory or process ids',
      next: 'Bound what runners may use, by requests and limits; look at signalbox audit imagefs.',
    },
    {
      class: 'node-removed',
      severity: 'warning',
      meaning: 'the node was drained, taken back or deleted under the runner',
      next: 'Keep autoscalers from taking nodes under running jobs, or take long jobs off spot machines.',
    },
    {
      class: 'many-runners-same-window',
      severity: 'warning',
      meaning: 'three or more runners ended within two minutes: they share a cause',
      next: 'Look at what they share (node, zone, everywhere) before any single job.',
    },
    {
      class: 'no-cluster-evidence',
      severity: 'info',
      meaning: 'everything was looking, and nothing of the cluster was interrupted',
      next: 'Ask signalbox why about the runner itself.',
    },
  ],
  applies: (_fleet, { runner, at }) => runner !== null || at !== null,
  examine: (fleet, question) => {
    const asking = askedOf(fleet, question)
    if (asking.kind === 'unknown') return [cannotBegin(asking.why)]
    const scene = sceneOf(fleet, asking.asked)
    const found = interruptions(scene)
    const unseen = unseenParts(scene).map(({ source, why }) => blindFinding(source, why))
    const isClear = found.length === 0 && unseen.length === 0 && couldSee(scene)
    return [...found, ...unseen, ...(isClear ? [nothingFound(scene)] : [])]
  },
}
