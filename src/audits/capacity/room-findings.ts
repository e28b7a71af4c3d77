import type { Impossible, LaneCapacity } from './judge-lanes.ts'
import type { Bound } from './node-fill.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Amounts } from '#/core/kubernetes/quantity.ts'
import { formatAmount } from '#/core/kubernetes/quantity.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

/** What was not read and so not counted; if a source was refused, `fits` is never reported. */
export type Caveats = { readonly notes: readonly string[]; readonly isCertain: boolean }

export function roomFindings(room: LaneCapacity, caveats: Caveats): readonly Finding[] {
  const impossible = room.impossible.map((one) => impossibleSinglePod(room, one))
  if (room.loads.length === 0) return impossible
  const { declaredMax, fits, together } = room
  if (declaredMax === null || fits < declaredMax) return [...impossible, tooMany(room, caveats)]
  if (together !== null) return [...impossible, tooManyTogether(room, caveats)]
  return impossible.length > 0 || !caveats.isCertain ? impossible : [allFits(room, caveats)]
}

const setLabel = ({ namespace, name }: ScaleSet): string => `${namespace}/${name}`

function impossibleSinglePod({ lane }: LaneCapacity, { load, why, nearest }: Impossible): Finding {
  const { set, each } = load
  return {
    class: 'impossible-single-pod',
    severity: 'critical',
    subject: { kind: 'Lane', name: lane.label },
    evidence: [`one runner of ${setLabel(set)} requests ${printAmounts(each)}`, ...why],
    hint:
      nearest === null
        ? `kubectl -n ${set.namespace} get resourcequota,limitrange and kubectl get nodes --show-labels show what refuses it; change template.spec of ${set.name} to match`
        : `lower template.spec.containers[].resources.requests of ${set.name} below what ${nearest.node.name} has, or add a larger node to pool ${nearest.pool}`,
    fields: {
      scaleSet: set.name,
      namespace: set.namespace,
      fits: 0,
      declaredMax: lane.declaredMax,
      request: amountFields(each),
    },
  }
}

function tooMany(room: LaneCapacity, { notes }: Caveats): Finding {
  const { lane, declaredMax, fits, boundBy } = room
  const wish = declaredMax === null ? 'a set of the lane has no maxRunners' : `${declaredMax} runners are declared`
  return {
    class: boundClass(boundBy),
    severity: 'warning',
    subject: { kind: 'Lane', name: lane.label },
    evidence: [
      `${wish}, ${fits} fit at once${boundBy === null ? '' : `: ${describeBound(boundBy)}`}`,
      ...describeRoom(room),
      ...notes,
    ],
    hint: hintFor(room),
    fields: roomFields(room),
  }
}

function tooManyTogether(room: LaneCapacity, { notes }: Caveats): Finding {
  const { lane, declaredMax, together } = room
  const others = [...(together?.sets ?? [])].filter((set) => !lane.sets.includes(set))
  const bound = together?.boundBy ?? null
  return {
    class: boundClass(bound),
    severity: 'warning',
    subject: { kind: 'Lane', name: lane.label },
    evidence: [
      `its ${declaredMax} runners fit alone`,
      `with ${listed(others.map(setLabel))} at their maximum ${together?.declaredMax} are declared and ${together?.fits} fit${bound === null ? '' : `: ${describeBound(bound)}`}`,
      ...describeRoom(room),
      ...notes,
    ],
    hint: `lower maxRunners so that those of ${listed([...lane.sets, ...others].map(({ name }) => name))} add up to ${together?.fits} or less, or give each lane its own pool (nodeSelector)`,
    fields: {
      ...roomFields(room),
      together: { declaredMax: together?.declaredMax, fits: together?.fits, boundBy: boundName(bound) },
    },
  }
}

function allFits(room: LaneCapacity, { notes }: Caveats): Finding {
  const { lane, declaredMax, fits, boundBy } = room
  return {
    class: 'fits',
    severity: 'info',
    subject: { kind: 'Lane', name: lane.label },
    evidence: [
      `${declaredMax} runners are declared, ${fits} fit at once${boundBy === null ? '' : `; then ${describeBound(boundBy)}`}`,
      ...describeRoom(room),
      ...notes,
    ],
    hint: `no action needed; signalbox audit burst shows what limits ${lane.label} now`,
    fields: roomFields(room),
  }
}

/** Pod slots have their own class: more cores or memory would not help. */
function boundClass(bound: Bound | null): string {
  return bound?.kind === 'resource' && bound.name === 'pods' ? 'slots-bound' : 'fits-not-simultaneously'
}

function describeBound(bound: Bound): string {
  switch (bound.kind) {
    case 'resource':
      return bound.name === 'pods' ? 'pod slots run out first' : `${bound.name} runs out first`
    case 'quota':
      return `${bound.name} of ResourceQuota ${bound.quota} runs out first`
    case 'one-per-node':
      return 'only one may run per node (host port or anti-affinity)'
    case 'no-node':
      return 'no node accepts it now'
  }
}

function boundName(bound: Bound | null): string | null {
  if (bound === null) return null
  return bound.kind === 'resource' ? bound.name : bound.kind
}

function describeRoom({ loads, pools, closed, sample }: LaneCapacity): readonly string[] {
  const daemons = sample?.daemons ?? new Map<string, number>()
  return [
    ...loads.map(({ set, each }) => `one runner of ${setLabel(set)} requests ${printAmounts(each)}`),
    ...pools.map(
      ({ pool, nodes, fits }) => `pool ${pool}: ${nodes === 1 ? 'one node holds' : `${nodes} nodes hold`} ${fits}`,
    ),
    ...(daemons.size === 0 ? [] : [`daemon pods take ${printAmounts(daemons)} of ${sample?.node.name}`]),
    ...(closed.length === 0
      ? []
      : [`not counted: ${listed(closed.map(({ node, closed: why }) => `${node.name} (${why})`))}`]),
  ]
}

function hintFor(room: LaneCapacity): string {
  const { lane, fits, boundBy, best } = room
  const lower = `lower maxRunners of ${listed(lane.sets.map(({ name }) => name))} to ${fits} in all`
  if (boundBy?.kind === 'quota') {
    return `${lower}, or raise ${boundBy.name} of ResourceQuota ${boundBy.quota} in ${lane.sets[0]?.namespace}`
  }
  const add = nodesToAdd(room)
  return boundBy?.kind === 'resource' && boundBy.name === 'pods'
    ? `${lower}, ${add}, or raise maxPods in the kubelet configuration of pool ${best?.capacity.pool}`
    : `${lower}, or ${add}`
}

function nodesToAdd({ declaredMax, fits, best }: LaneCapacity): string {
  if (declaredMax === null || best === null || best.times === 0) return 'add nodes'
  const count = Math.ceil((declaredMax - fits) / best.times)
  return `add ${count} ${count === 1 ? 'node' : 'nodes'} like ${best.capacity.node.name} (${best.times} each)`
}

function roomFields({ declaredMax, fits, boundBy, pools, loads }: LaneCapacity): Readonly<Record<string, unknown>> {
  return {
    declaredMax,
    fits,
    boundBy: boundName(boundBy),
    pools,
    requests: loads.map(({ set, each }) => ({ scaleSet: setLabel(set), ...amountFields(each) })),
  }
}

function amountFields(amounts: Amounts): Readonly<Record<string, number>> {
  return Object.fromEntries(amounts)
}

function printAmounts(amounts: Amounts): string {
  const amountList = [...amounts].filter(([name, amount]) => amount > 0 && !(name === 'pods' && amount === 1))
  return (
    amountList
      .map(([name, amount]) => `${formatAmount(name, amount)} ${name === 'pods' ? 'pod slots' : name}`)
      .join(', ') || 'nothing'
  )
}

const MOST_NAMED = 5

function listed(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED
  return rest > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${rest} more` : names.join(', ')
}
