import { textAt, timeAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'

/** Why a node is not ready, and since when. */
export type NotReady = { readonly why: string; readonly since: number | null }

/** A node that boots or is being deleted is not ready for some minutes: no finding. */
export function findNotReady(node: NodeRecord, fleet: Fleet, lastRenewal: number | null): NotReady | null {
  if (isBooting(node, fleet) || isTerminating(node, fleet)) return null
  const ready = node.conditions.find(({ type }) => type === 'Ready')
  if (ready !== undefined && ready.status !== 'True') {
    const detail = [ready.reason, ready.message].filter((word) => word !== null).join(': ')
    return { why: `Ready is ${ready.status}${detail === '' ? '' : ` (${detail})`}`, since: ready.since }
  }
  return findSilence(ready !== undefined, lastRenewal, fleet)
}

/** The kubelet renews its lease every ten seconds; the condition may lag behind. */
function findSilence(isReady: boolean, lastRenewal: number | null, { now, thresholds }: Fleet): NotReady | null {
  if (!isReady || lastRenewal === null || now - lastRenewal < thresholds.leaseSilence) return null
  return { why: 'Ready is True, but its kubelet has stopped renewing its lease', since: lastRenewal }
}

function isBooting({ createdAt }: NodeRecord, { now, thresholds }: Fleet): boolean {
  return createdAt !== null && now - createdAt < thresholds.podStart
}

function isTerminating({ raw }: NodeRecord, { now, thresholds }: Fleet): boolean {
  const deletedAt = timeAt(raw, 'metadata', 'deletionTimestamp')
  return deletedAt !== null && now - deletedAt < thresholds.podStart
}

/**
 * When each kubelet last renewed its lease. If none is fresh, the list is older than the rest of the read and
 * proves nothing about a single node.
 */
export function leaseRenewals(fleet: Fleet): ReadonlyMap<string, number> {
  const renewals = new Map<string, number>()
  for (const lease of fleet.rows('leases')) {
    const name = textAt(lease, 'metadata', 'name')
    const renewed = timeAt(lease, 'spec', 'renewTime')
    const isNodeLease = textAt(lease, 'metadata', 'namespace') === 'kube-node-lease'
    if (isNodeLease && name !== null && renewed !== null) renewals.set(name, renewed)
  }
  const newest = [...renewals.values()].reduce((latest, one) => Math.max(latest, one), -Infinity)
  return fleet.now - newest < fleet.thresholds.leaseSilence ? renewals : new Map()
}
