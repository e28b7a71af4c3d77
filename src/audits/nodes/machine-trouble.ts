import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { FindingSubject } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { countFailing } from './failing.ts'
import type { Failing } from './failing.ts'
import { findKnownFault } from './known-fault.ts'
import type { KnownFault } from './known-fault.ts'
import type { MachineRecord } from './machine-node.ts'

/** Bootstrap failures of one machine, from events and from its own status. */
export type MachineTrouble = {
  readonly subject: FindingSubject
  /** The node that it is or should become. */
  readonly node: string | null
  readonly events: readonly EventFacts[]
  readonly attempts: number
  /** Why it is not ready, according to its own conditions, and since when. */
  readonly standing: { readonly message: string; readonly since: number | null } | null
}

/** `BootstrapFailed` and similar. */
export function isBootstrapFailure({ reason }: EventFacts): boolean {
  return /bootstrap/i.test(reason) && /fail|error|time/i.test(reason)
}

/** Events name the provider's machine, the list may hold that of Cluster API: usually both have the same name. */
export function machineTroubles(fleet: Fleet, machines: readonly MachineRecord[]): readonly MachineTrouble[] {
  const nodes = new Set(fleet.nodes.map(({ name }) => name))
  const byName = new Map(machines.map((machine) => [machine.name, machine]))
  const said = fleet.events.filter(({ kind }) => kind !== 'Node' && kind !== 'Pod')
  const succeeded = lastSuccesses(said)
  const failures = Map.groupBy(
    said.filter((event) => isBootstrapFailure(event) && (event.lastAt ?? 0) > (succeeded.get(event.name ?? '') ?? 0)),
    ({ name }) => name ?? '',
  )
  const names = new Set([
    ...failures.keys(),
    ...machines
      .filter(({ attempts, standing }) => attempts > 0 || findKnownFault([standing?.message ?? null]) !== null)
      .map(({ name }) => name),
  ])
  return [...names].map((name) => {
    const machine = byName.get(name) ?? null
    const events = failures.get(name) ?? []
    return {
      subject: machineSubject(name, machine, events[0] ?? null),
      node: machine?.node ?? (nodes.has(name) ? name : null),
      events,
      attempts: machine?.attempts ?? 0,
      standing: machine?.standing ?? null,
    }
  })
}

/** When the bootstrap of each machine last succeeded: what failed before is over. */
function lastSuccesses(events: readonly EventFacts[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>()
  for (const { reason, name, lastAt } of events) {
    if (!/bootstrap/i.test(reason) || !/succe|complete/i.test(reason)) continue
    last.set(name ?? '', Math.max(last.get(name ?? '') ?? 0, lastAt ?? 0))
  }
  return last
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

/** The known fault that its last failures name. */
export function faultBehind({ events, standing }: MachineTrouble): KnownFault | null {
  const newest = events.toSorted((a, b) => (b.lastAt ?? 0) - (a.lastAt ?? 0))
  return findKnownFault([...newest.map(({ message }) => message), standing?.message ?? null])
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
