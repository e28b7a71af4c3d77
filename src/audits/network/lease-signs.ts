import type { Fields } from '#/core/basics/fields.ts'
import { textAt, timeAt } from '#/core/basics/fields.ts'
import { printTime } from '#/core/basics/print-time.ts'
import type { NetworkView } from './view.ts'
import type { Sign } from './sign.ts'
import { isIn } from './sign.ts'

type Lease = {
  readonly namespace: string
  readonly name: string
  readonly isApiServer: boolean
  readonly createdAt: number | null
  readonly acquiredAt: number | null
  readonly renewedAt: number | null
}

/** Signs in the leases. A lease holds only its last renewal, so it shows only what is still down or has just started. */
export function leaseSigns(view: NetworkView): readonly Sign[] {
  const leases = view.fleet.rows('leases').map(readLease)
  const newest = leases.reduce((latest, { renewedAt }) => Math.max(latest, renewedAt ?? 0), 0)
  const hasStopped = ({ renewedAt }: Lease): boolean => isIn(renewedAt, view.window) && newest - renewedAt >= SILENCE_MS
  return [
    ...serverSigns(leases, hasStopped, view),
    ...nodeSigns(leases, hasStopped, view),
    ...leaderSigns(leases, view),
  ]
}

/** Compared with the newest lease, not with now: the list may have been read earlier than the rest. */
const SILENCE_MS = 60_000

function readLease(object: Fields): Lease {
  return {
    namespace: textAt(object, 'metadata', 'namespace') ?? '',
    name: textAt(object, 'metadata', 'name') ?? '',
    isApiServer: textAt(object, 'metadata', 'labels', 'apiserver.kubernetes.io/identity') === 'kube-apiserver',
    createdAt: timeAt(object, 'metadata', 'creationTimestamp'),
    acquiredAt: timeAt(object, 'spec', 'acquireTime'),
    renewedAt: timeAt(object, 'spec', 'renewTime'),
  }
}

/** Each API server has its own lease. In a new cluster it is as old as the first node. */
function serverSigns(
  leases: readonly Lease[],
  hasStopped: (lease: Lease) => boolean,
  { window, fleet }: NetworkView,
): readonly Sign[] {
  const first = fleet.nodes.reduce((oldest, { createdAt }) => Math.min(oldest, createdAt ?? Infinity), Infinity)
  const isFirst = (at: number): boolean => at - first < fleet.thresholds.podStart
  const servers = leases.filter(({ isApiServer: isOfServer }) => isOfServer)
  return [
    ...servers.flatMap(({ name, createdAt }) =>
      isIn(createdAt, window) && !isFirst(createdAt)
        ? [{ at: createdAt, text: `lease ${name}: an API server started at ${printTime(createdAt)}` }]
        : [],
    ),
    ...servers.filter(hasStopped).map(({ name, renewedAt }) => ({
      at: renewedAt ?? 0,
      text: `lease ${name}: an API server renewed it last at ${printTime(renewedAt ?? 0)}`,
    })),
  ]
}

/** The runner's node while it is still Ready, or most nodes at once: a single dead node is not the API server's fault. */
function nodeSigns(
  leases: readonly Lease[],
  hasStopped: (lease: Lease) => boolean,
  { asked, nodeAt }: NetworkView,
): readonly Sign[] {
  const nodeLeases = leases.filter(({ namespace }) => namespace === 'kube-node-lease')
  const silent = nodeLeases.filter(hasStopped)
  const isShared = silent.length > 1 && silent.length * 2 > nodeLeases.length
  return silent
    .filter(({ name }) => isShared || (asked.nodes.includes(name) && nodeAt(name)?.isReady === true))
    .map(({ name, renewedAt }) => ({
      at: renewedAt ?? 0,
      text: `${name} renewed its lease last at ${printTime(renewedAt ?? 0)}`,
    }))
}

const LEADERS = new Set(['kube-controller-manager', 'kube-scheduler'])

/** A leader that cannot renew for seconds steps down. One alone may have restarted; both at once lost the API server. */
function leaderSigns(leases: readonly Lease[], { window, fleet }: NetworkView): readonly Sign[] {
  const first = fleet.nodes.reduce((oldest, { createdAt }) => Math.min(oldest, createdAt ?? Infinity), Infinity)
  const changed = leases.filter(
    ({ namespace, name, acquiredAt }) =>
      namespace === 'kube-system' &&
      LEADERS.has(name) &&
      isIn(acquiredAt, window) &&
      acquiredAt - first >= fleet.thresholds.podStart,
  )
  if (changed.length < LEADERS.size) return []
  return changed.map(({ name, acquiredAt }) => ({
    at: acquiredAt ?? 0,
    text: `${name} has a new leader since ${printTime(acquiredAt ?? 0)}`,
  }))
}
