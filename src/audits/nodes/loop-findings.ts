import type { Question } from '#/core/audit/audit.ts'
import type { Finding, FindingSubject } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import { listFailings } from './bootstrap-loop.ts'
import type { Failing } from './failing.ts'
import { readMachines } from './machine-node.ts'
import type { Churn } from './machine-trouble.ts'
import { findChurn, machineFailings, machineTroubles } from './machine-trouble.ts'
import type { NodeView } from './view.ts'

/** Nodes that keep failing at boot, and machines that never become a node. */
export function loopFindings(views: readonly NodeView[], fleet: Fleet, question: Question): readonly Finding[] {
  const machines = readMachines(fleet)
  const troubles = machineTroubles(fleet, machines)
  const byNode = new Map(troubles.map((trouble) => [trouble.node ?? '', trouble]))
  const nodeFindings = views.flatMap((view) => {
    const failings = listFailings(view, fleet, byNode.get(view.name) ?? null)
    const isLying = view.node?.isReady === true
    return judgeFailings({ kind: 'Node', name: view.name }, failings, fleet, isLying)
  })
  if (question.nodes.length > 0) return nodeFindings
  const known = new Set(views.map(({ name }) => name))
  const since = fleet.now - fleet.thresholds.bootstrapLoopWindow
  return [
    ...nodeFindings,
    ...troubles
      .filter(({ node }) => node === null || !known.has(node))
      .flatMap((trouble) => judgeFailings(trouble.subject, machineFailings(trouble, since), fleet, false)),
    ...findChurn(machines, fleet).map((churn) => churnFinding(churn, fleet)),
  ]
}

function judgeFailings(
  subject: FindingSubject,
  failings: readonly Failing[],
  { thresholds }: Fleet,
  isLying: boolean,
): readonly Finding[] {
  const worst = failings.reduce((most, { times }) => Math.max(most, times), 0)
  if (worst < thresholds.bootstrapLoop) return []
  const within = formatDuration(thresholds.bootstrapLoopWindow)
  return [
    {
      class: 'bootstrap-loop',
      severity: 'warning',
      subject,
      evidence: [
        ...failings.map(
          ({ what, times, message: word }) =>
            `${what}: ${times} times within ${within}${word === null ? '' : `; the last: ${word.slice(0, 300)}`}`,
        ),
        ...(isLying ? ['the node says that it is Ready'] : []),
      ],
      hint: hintFor(subject),
      fields: { failures: worst, within },
    },
  ]
}

function hintFor({ kind, namespace, name }: FindingSubject): string {
  if (kind === 'Node') {
    return `kubectl cordon ${name}, so that no runners are scheduled there; kubectl get events -A --field-selector involvedObject.name=${name} and the journal of its kubelet show why it does not boot; another attempt alone will not help`
  }
  const where = namespace === undefined ? '' : ` -n ${namespace}`
  return `kubectl describe ${kind.toLowerCase()} ${name}${where} shows why it does not become a node; fix its bootstrap, another attempt alone will not help`
}

function churnFinding({ maker, lost }: Churn, { thresholds }: Fleet): Finding {
  const within = formatDuration(thresholds.bootstrapLoopWindow)
  const names = lost.slice(0, 5).map(({ name }) => name)
  return {
    class: 'bootstrap-loop',
    severity: 'warning',
    subject: { kind: maker.kind === '' ? 'NodePool' : maker.kind, name: maker.name },
    evidence: [
      `it created ${lost.length} machines within ${within} that failed before they became a node: ${names.join(', ')}`,
    ],
    hint: `kubectl describe machine ${names[0] ?? ''} shows why it does not become a node; fix the bootstrap of ${maker.name}'s machines, another machine alone will not help`,
    fields: { failures: lost.length, within },
  }
}
