import type { Finding, FindingSubject } from '#/core/audit/finding.ts'
import { printTime } from '#/core/basics/print-time.ts'
import { apiServerSigns } from './api-server-gap.ts'
import { API_SERVICE } from './asked.ts'
import { cniSigns } from './cni-restart.ts'
import { dnsSigns } from './dns-gap.ts'
import { evictionSigns, pressureSigns } from './eviction.ts'
import { findCluster } from './many-runners.ts'
import { notReadySigns } from './node-not-ready.ts'
import { removalSigns } from './node-removed.ts'
import type { NetworkView } from './view.ts'
import type { Sign } from './sign.ts'
import { printSigns } from './sign.ts'

/** Everything that was interrupted within the window. */
export function interruptions(view: NetworkView): readonly Finding[] {
  return [
    ...view.asked.nodes.flatMap((node) => nodeFindings(node, view)),
    ...evicted(view),
    ...apiServer(view),
    ...nameService(view),
    ...manyRunners(view),
  ]
}

type FindingParts = {
  readonly class: string
  readonly subject: FindingSubject
  readonly signs: readonly Sign[]
  readonly hint: string
}

function finding(view: NetworkView, { signs, hint, subject, ...parts }: FindingParts): readonly Finding[] {
  if (signs.length === 0) return []
  return [
    {
      class: parts.class,
      severity: 'warning',
      subject,
      evidence: [...printSigns(signs), describeWindow(view)],
      hint,
      fields: windowFields(view),
    },
  ]
}

export function describeWindow({ asked, window }: NetworkView): string {
  const who = asked.runner === null ? 'the given time' : `the end of ${asked.runner.name}`
  return `the window is ${printTime(window.from)} to ${printTime(window.to)}, around ${who} at ${printTime(asked.end)} (${asked.endedBy})`
}

export function windowFields({ asked, window }: NetworkView): Readonly<Record<string, unknown>> {
  return {
    runner: asked.runner?.name ?? null,
    node: asked.runner?.node ?? null,
    window: { from: printTime(window.from), to: printTime(window.to) },
  }
}

const RERUN = 're-run the job: nothing in its repository explains this'

function nodeFindings(name: string, view: NetworkView): readonly Finding[] {
  const node = { kind: 'Node', name }
  const cni = cniSigns(name, view)
  return [
    ...finding(view, {
      class: 'node-not-ready',
      subject: node,
      signs: notReadySigns(name, view),
      hint: `kubectl describe node ${name}, and the journal of its kubelet around that time; ${RERUN}`,
    }),
    ...finding(view, {
      class: 'node-removed',
      subject: node,
      signs: removalSigns(name, view),
      hint: `check the autoscaler or the cloud provider for why ${name} was removed; keep nodes with running jobs (karpenter.sh/do-not-disrupt: "true" or cluster-autoscaler.kubernetes.io/safe-to-evict: "false" on the runner pods), or move long jobs off spot machines`,
    }),
    ...finding(view, {
      class: 'cni-restart',
      subject: cni.pod === null ? node : { kind: 'Pod', namespace: cni.pod.namespace, name: cni.pod.name },
      signs: cni.signs,
      hint:
        cni.pod === null
          ? `kubectl get events -A --field-selector reason=NetworkNotReady shows which other pods lost the network; ${RERUN}`
          : `kubectl -n ${cni.pod.namespace} logs ${cni.pod.name} --all-containers --previous shows why the network plugin of ${name} went down; ${RERUN}`,
    }),
    ...finding(view, {
      class: 'eviction-or-pressure',
      subject: node,
      signs: view.asked.runner !== null && evictionSigns(view).length > 0 ? [] : pressureSigns(name, view),
      hint: `signalbox audit imagefs --node ${name} shows what it is short of; ${RERUN}`,
    }),
  ]
}

/** If the runner itself was evicted, its node's pressure is part of the same finding. */
function evicted(view: NetworkView): readonly Finding[] {
  const { runner, nodes } = view.asked
  const signs = evictionSigns(view)
  if (runner === null || signs.length === 0) return []
  return finding(view, {
    class: 'eviction-or-pressure',
    subject: {
      kind: 'Pod',
      ...(runner.namespace === null ? {} : { namespace: runner.namespace }),
      name: runner.podName,
    },
    signs: [...signs, ...nodes.flatMap((node) => pressureSigns(node, view))],
    hint: `set requests and limits for what the runners of this set were evicted for (signalbox audit imagefs${runner.node === null ? '' : ` --node ${runner.node}`}); then signalbox why ${runner.podName}`,
  })
}

function apiServer(view: NetworkView): readonly Finding[] {
  return finding(view, {
    class: 'api-server-gap',
    subject: API_SERVICE,
    signs: apiServerSigns(view),
    hint: `kubectl -n kube-system get pods -o wide, and the log of the API server around ${printTime(view.asked.end)}: while it was down no listener and no controller could act; ${RERUN}`,
  })
}

function nameService(view: NetworkView): readonly Finding[] {
  const { pod, signs } = dnsSigns(view)
  return finding(view, {
    class: 'dns-gap',
    subject:
      pod === null
        ? { kind: 'Service', namespace: 'kube-system', name: 'kube-dns' }
        : { kind: 'Pod', namespace: pod.namespace, name: pod.name },
    signs,
    hint:
      pod === null
        ? `kubectl -n kube-system logs -l k8s-app=kube-dns --since-time=${printTime(view.window.from)} shows what the cluster DNS did then; ${RERUN}`
        : `kubectl -n ${pod.namespace} logs ${pod.name} --previous shows why it went down; run at least two of them on different nodes; ${RERUN}`,
  })
}

function manyRunners(view: NetworkView): readonly Finding[] {
  const cluster = findCluster(view)
  const [first] = cluster?.ends ?? []
  if (cluster === null || first === undefined) return []
  const { ends, place, node, zone } = cluster
  const where = {
    node: `all on node ${node}`,
    zone: `all in zone ${zone}`,
    everywhere: 'on several nodes',
    unknown: 'their nodes are unknown',
  }[place]
  const [parts] = finding(view, {
    class: 'many-runners-same-window',
    subject: node === null ? endSubject(view, first) : { kind: 'Node', name: node },
    signs: ends.map(({ name, at, how }) => ({ at, text: `${printTime(at)} ${name}: ${how.slice(0, 200)}` })),
    hint:
      node === null
        ? `they share a cause: check what they have in common (${where}) before any single job; ${RERUN}`
        : `kubectl cordon ${node} until you know what happened at ${printTime(first.at)}; signalbox audit nodes --node ${node} shows its state now`,
  })
  if (parts === undefined) return []
  const number = ends.length
  return [
    {
      ...parts,
      evidence: [`${number} runners ended within ${spread(ends)} seconds of each other, ${where}`, ...parts.evidence],
      fields: { ...parts.fields, runners: number, place, node: node ?? parts.fields?.['node'], zone },
    },
  ]
}

function spread(ends: readonly { readonly at: number }[]): number {
  return Math.round(((ends.at(-1)?.at ?? 0) - (ends[0]?.at ?? 0)) / 1000)
}

function endSubject(
  { asked }: NetworkView,
  first: { readonly name: string; readonly namespace: string | null },
): FindingSubject {
  if (asked.runner !== null) return asked.subject
  return {
    kind: 'EphemeralRunner',
    ...(first.namespace === null ? {} : { namespace: first.namespace }),
    name: first.name,
  }
}
