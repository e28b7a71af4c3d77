import { textAt, timeAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'

/** Why a node cannot be counted on, and since when. */
export type NotReady = { readonly why: string; readonly since: number | null }

/** A node that comes up or goes away on purpose is not ready for some minutes, and nobody has to do anything. */
export function notReadyOf(node: NodeRecord, fleet: Fleet, lastRenewal: number | null): NotReady | null {
  if (isComing(node, fleet) || isGoing(node, fleet)) return null
  const ready = node.conditions.find(({ type }) => type === 'Ready')
  if (ready !== undefined && ready.status !== 'True') {
    const words = [ready.reason, ready.message].filter((word) => word !== null).join(': ')
    return { why: `Ready is ${ready.status}${words === '' ? '' : ` (${words})`}`, since: ready.since }
  }
  return silenceOf(ready !== undefined, lastRenewal, fleet)
}

/** The lease is what the kubelet renews every ten seconds, whatever the condition still says. */
function silenceOf(isReady: boolean, lastRenewal: number | null, { now, thresholds }: Fleet): NotReady | null {
  if (!isReady || lastRenewal === null || now - lastRenewal < thresholds.leaseSilence) return null
  return { why: 'Ready is True, though its kubelet has stopped renewing its lease', since: lastRenewal }
}

function isComing({ createdAt }: NodeRecord, { now, thresholds }: Fleet): boolean {
  return createdAt !== null && now - createdAt < thresholds.podStart
}

function isGoing({ raw }: NodeRecord, { now, thresholds }: Fleet): boolean {
  const deletedAt = timeAt(raw, 'metadata', 'deletionTimestamp')
  return deletedAt !== null && now - deletedAt < thresholds.podStart
}

/**
 * When each kubelet last renewed its lease. Where none is fresh the list is older than the rest of what was read, and
 * says nothing of a single node.
 */
export function leaseRenewals(fleet: Fleet): ReadonlyMap<string, number> {
  const renewals = new Map<string, number>()
  for (const lease of fleet.rows('leases')) {
    const name = textAt(lease, 'metadata', 'name')
    const renewed = timeAt(lease, 'spec', 'renewTime')
    const isOfNode = textAt(lease, 'metadata', 'namespace') === 'kube-node-lease'
    if (isOfNode && name !== null && renewed !== null) renewals.set(name, renewed)
  }
  const newest = [...renewals.values()].reduce((latest, one) => Math.max(latest, one), -Infinity)
  return fleet.now - newest < fleet.thresholds.leaseSilence ? renewals : new Map()
}
