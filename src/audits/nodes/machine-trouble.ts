import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { FindingSubject } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { countFailing } from './failing.ts'
import type { Failing } from './failing.ts'
import type { MachineRecord } from './machine-node.ts'

/** Bootstrap failures of one machine, from events and from its own status. */
export type MachineTrouble = {
  readonly subject: FindingSubject
  /** The node that it is or should become. */
  readonly node: string | null
  readonly events: readonly EventFacts[]
  readonly attempts: number
}

/** `BootstrapFailed` and similar. */
export function isBootstrapFailure({ reason }: EventFacts): boolean {
  return /bootstrap/i.test(reason) && /fail|error|time/i.test(reason)
}

/** Events name the provider's machine, the list may hold that of Cluster API: usually both have the same name. */
export function machineTroubles(fleet: Fleet, machines: readonly MachineRecord[]): readonly MachineTrouble[] {
  const nodes = new Set(fleet.nodes.map(({ name }) => name))
  const byName = new Map(machines.map((machine) => [machine.name, machine]))
  const failures = Map.groupBy(
    fleet.events.filter((event) => event.kind !== 'Node' && event.kind !== 'Pod' && isBootstrapFailure(event)),
    ({ name }) => name ?? '',
  )
  const names = new Set([
    ...failures.keys(),
    ...machines.filter(({ attempts }) => attempts > 0).map(({ name }) => name),
  ])
  return [...names].map((name) => {
    const machine = byName.get(name) ?? null
    const events = failures.get(name) ?? []
    return {
      subject: machineSubject(name, machine, events[0] ?? null),
      node: machine?.node ?? (nodes.has(name) ? name : null),
      events,
      attempts: machine?.attempts ?? 0,
    }
  })
}

function machineSubject(name: string, machine: MachineRecord | null, event: EventFacts | null): FindingSubject {
  const { kind = null, namespace = null } = machine ?? event ?? {}
  return { kind: kind ?? 'Machine', ...(namespace === null ? {} : { namespace }), name }
}

/** The machine's own count has no times; bootstrap is tried every minute. */
export function machineFailings(trouble: MachineTrouble | null, since: number): readonly Failing[] {
  if (trouble === null) return []
  const { subject, events, attempts } = trouble
  const failures = countFailing(`${subject.kind} ${subject.name} could not become a node`, events, since)
  return [{ ...failures, times: Math.max(failures.times, attempts) }]
}

export type Churn = { readonly maker: NonNullable<MachineRecord['maker']>; readonly lost: readonly MachineRecord[] }

/** Machines that one maker created within the hour and that never became a node. */
export function findChurn(machines: readonly MachineRecord[], { now, thresholds }: Fleet): readonly Churn[] {
  const lost = machines.filter(
    ({ node, createdAt, hasFailed, isDeleting }) =>
      node === null &&
      (hasFailed || isDeleting) &&
      createdAt !== null &&
      now - createdAt <= thresholds.bootstrapLoopWindow,
  )
  const makers = Map.groupBy(lost, ({ maker }) => `${maker?.kind}/${maker?.name}`)
  return [...makers.values()].flatMap((own) => {
    const maker = own[0]?.maker ?? null
    return maker === null || maker.name === '' || own.length < thresholds.bootstrapLoop ? [] : [{ maker, lost: own }]
  })
}
