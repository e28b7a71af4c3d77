import { readQuestion } from './asked.ts'
import { windowFields, interruptions, describeWindow } from './findings.ts'
import { NETWORK_MENTIONS } from './log-signs.ts'
import { couldSee, unseenParts } from './unseen.ts'
import { buildNetworkView } from './view.ts'
import type { NetworkView } from './view.ts'
import type { Audit } from '#/core/audit/audit.ts'
import { BLIND_CLASS, blindFinding } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'

/** Neither the question nor a source gives a time to check. */
function cannotBegin(why: string): Finding {
  return {
    class: BLIND_CLASS,
    severity: 'warning',
    subject: { kind: 'Source', name: 'kubernetes/pods' },
    evidence: [why],
    hint: 'use signalbox audit network --runner NAME with the name of a runner or its pod, or --at TIME',
  }
}

function nothingFound(view: NetworkView): Finding {
  const { asked } = view
  const where = asked.runner === null ? `${asked.nodes.length} nodes` : `its node ${asked.runner.node}`
  return {
    class: 'no-cluster-evidence',
    severity: 'info',
    subject: asked.subject,
    evidence: [
      `events, nodes, pods and leases were read and show no interruption: ${where}, the network plugin, the API server and DNS`,
      describeWindow(view),
    ],
    hint:
      asked.runner === null
        ? 'the cluster did not interrupt its runners then; run signalbox why for a single runner'
        : `signalbox why ${asked.runner.podName} checks the runner itself: memory, exit code, log`,
    fields: windowFields(view),
  }
}

export const network: Audit = {
  id: 'network',
  asks: "was the cluster's network or API interrupted when this runner died?",
  about:
    "Checks the window from 20 minutes before to 2 minutes after the end of a runner's job, because GitHub gives up a silent runner only after about ten minutes. The end is GitHub's completed_at, else the end of the pod. Of the nodes only the runner's own counts, and its first boot is not an interruption. If the events do not reach back to that time, that part is reported as not seen.",
  reads: [
    { source: 'kubernetes/events', weight: 'needed', gives: 'what nodes, kubelets and controllers reported' },
    {
      source: 'kubernetes/nodes',
      weight: 'needed',
      gives: 'since when nodes are ready or under pressure, and which were removed',
    },
    {
      source: 'kubernetes/pods',
      weight: 'needed',
      gives: "the runner's end, and restarts of the network plugin, DNS and the API server",
    },
    { source: 'kubernetes/leases', weight: 'needed', gives: 'the last lease renewals of kubelets and API servers' },
    { source: 'kubernetes/ephemeralrunners', weight: 'useful', gives: "a runner's pod" },
    { source: 'kubernetes/namespaces', weight: 'useful', gives: 'whether events were deleted with their namespace' },
    {
      source: 'kubernetes/audit',
      weight: 'useful',
      gives: 'failed requests of the API server, and gaps',
    },
    { source: 'logs', weight: 'useful', gives: 'lines of ARC and the runner about refused connections and DNS errors' },
    { source: 'github/jobs', weight: 'useful', gives: "when the runner's job ended" },
    { source: 'github/annotations', weight: 'useful', gives: 'which other jobs lost their runner' },
    { source: 'github/queued-jobs', weight: 'useful', gives: 'jobs that have not finished' },
  ],
  mentions: NETWORK_MENTIONS,
  classes: [
    {
      class: 'node-not-ready',
      severity: 'warning',
      meaning: "the runner's own node was not ready within the window",
      next: 'Check the kubelet and the machine of that node; re-run the job.',
    },
    {
      class: 'cni-restart',
      severity: 'warning',
      meaning: "the network plugin on the runner's node restarted or was down within the window",
      next: 'Find out why it went down; a rollout of the plugin interrupts running jobs.',
    },
    {
      class: 'api-server-gap',
      severity: 'warning',
      meaning: 'the API server was down or unreachable within the window',
      next: 'Check the control plane around that time.',
    },
    {
      class: 'dns-gap',
      severity: 'warning',
      meaning: 'the cluster DNS restarted, was not ready or did not answer within the window',
      next: 'Run at least two of its pods on different nodes, and find out why it went down.',
    },
    {
      class: 'eviction-or-pressure',
      severity: 'warning',
      meaning: 'the runner was evicted or preempted, or its node was short of disk, memory or process ids',
      next: 'Set requests and limits for runners; run signalbox audit imagefs.',
    },
    {
      class: 'node-removed',
      severity: 'warning',
      meaning: 'the node was drained, reclaimed or deleted while the runner was on it',
      next: 'Keep autoscalers from removing nodes with running jobs, or move long jobs off spot machines.',
    },
    {
      class: 'many-runners-same-window',
      severity: 'warning',
      meaning: 'three or more runners ended within two minutes: they share a cause',
      next: 'Check what they share (node, zone, everywhere) before any single job.',
    },
    {
      class: 'no-cluster-evidence',
      severity: 'info',
      meaning: 'every source was observing, and nothing in the cluster was interrupted',
      next: 'Run signalbox why for the runner itself.',
    },
  ],
  applies: (_fleet, { runner, at }) => runner !== null || at !== null,
  examine: (fleet, question) => {
    const asking = readQuestion(fleet, question)
    if (asking.kind === 'unknown') return [cannotBegin(asking.why)]
    const view = buildNetworkView(fleet, asking.asked)
    const found = interruptions(view)
    const unseen = unseenParts(view).map(({ source, why }) => blindFinding(source, why))
    const isClear = found.length === 0 && unseen.length === 0 && couldSee(view)
    return [...found, ...unseen, ...(isClear ? [nothingFound(view)] : [])]
  },
}
