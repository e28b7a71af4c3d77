import type { Question } from '#/core/audit/audit.ts'
import type { Finding, FindingSubject } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import { listFailings } from './bootstrap-loop.ts'
import type { Failing } from './failing.ts'
import { faultFindings } from './fault-finding.ts'
import { findKnownFault } from './known-fault.ts'
import type { KnownFault } from './known-fault.ts'
import { readMachines } from './machine-node.ts'
import type { Churn, MachineTrouble } from './machine-trouble.ts'
import { faultBehind, findChurn, machineFailings, machineTroubles } from './machine-trouble.ts'
import type { NodeView } from './view.ts'

/** The machines with bootstrap failures, joined once for all parts of the audit. */
export type Troubles = {
  readonly all: readonly MachineTrouble[]
  readonly behind: (node: string) => MachineTrouble | null
  readonly churns: readonly Churn[]
}

export function readTroubles(fleet: Fleet): Troubles {
  const machines = readMachines(fleet)
  const all = machineTroubles(fleet, machines)
  const byNode = new Map(all.map((trouble) => [trouble.node ?? '', trouble]))
  return { all, behind: (node) => byNode.get(node) ?? null, churns: findChurn(machines, fleet) }
}

type Looping = { readonly troubles: Troubles; readonly neverStarting: ReadonlySet<string> }

/** Nodes that keep failing at boot, and machines that never become a node. */
export function loopFindings(
  views: readonly NodeView[],
  fleet: Fleet,
  question: Question,
  { troubles, neverStarting }: Looping,
): readonly Finding[] {
  const nodeFindings = views.flatMap((view) => {
    const behind = troubles.behind(view.name)
    const failings = listFailings(view, fleet, { behind, isNeverStarting: neverStarting.has(view.name) })
    const own = view.events.filter(({ kind }) => kind === 'Node').map(({ message }) => message)
    return [
      ...judgeFailings({ kind: 'Node', name: view.name }, failings, fleet, {
        isLying: view.node?.isReady === true,
        // With a machine behind it, the finding about the machine has the fix.
        fault: behind === null ? findKnownFault(own) : null,
      }),
      ...(behind === null ? [] : faultFindings(behind, fleet)),
    ]
  })
  if (question.nodes.length > 0) return nodeFindings
  const known = new Set(views.map(({ name }) => name))
  return [
    ...nodeFindings,
    ...troubles.all
      .filter(({ node }) => node === null || !known.has(node))
      .flatMap((trouble) => judgeMachine(trouble, fleet)),
    ...troubles.churns.map((churn) => churnFinding(churn, fleet)),
  ]
}

function judgeMachine(trouble: MachineTrouble, fleet: Fleet): readonly Finding[] {
  if (faultBehind(trouble) !== null) return faultFindings(trouble, fleet)
  const failings = machineFailings(trouble, fleet.now - fleet.thresholds.bootstrapLoopWindow)
  return judgeFailings(trouble.subject, failings, fleet, { isLying: false, fault: null })
}

function judgeFailings(
  subject: FindingSubject,
  failings: readonly Failing[],
  { thresholds }: Fleet,
  { isLying, fault }: { readonly isLying: boolean; readonly fault: KnownFault | null },
): readonly Finding[] {
  const worst = failings.reduce((most, { times }) => Math.max(most, times), 0)
  if (worst < thresholds.bootstrapLoop) return []
  const within = formatDuration(thresholds.bootstrapLoopWindow)
  return [
    {
      class: 'bootstrap-loop',
      severity: fault === null ? 'warning' : 'critical',
      subject,
      evidence: [
        ...(fault === null ? [] : [fault.what]),
        ...failings.map(
          ({ what, times, message: word }) =>
            `${what}: ${times} times within ${within}${word === null ? '' : `; the last: ${word.slice(0, 300)}`}`,
        ),
        ...(isLying ? ['the node says that it is Ready'] : []),
      ],
      hint: fault?.fix ?? hintFor(subject),
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
