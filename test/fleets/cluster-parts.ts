import type { Fields } from '#/core/basics/fields.ts'
import { ago } from './build-fleet.ts'

/** Minimal cluster objects around runners. Times are minutes before now. */

const MINUTE = 60_000

export const before = (minutes: number): string => ago(minutes * MINUTE)

const DAY = 1440

export type NodeCase = {
  readonly age?: number
  readonly ready?: 'True' | 'False' | 'Unknown'
  readonly readySince?: number
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly since?: number }[]
  readonly labels?: Fields
  readonly taints?: readonly Fields[]
  readonly deleted?: number
  readonly cordoned?: boolean
  readonly providerID?: string
}

export function buildNode(name: string, own: NodeCase = {}): Fields {
  const age = own.age ?? 30 * DAY
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: before(age),
      labels: { 'kubernetes.io/hostname': name, ...own.labels },
      ...(own.deleted === undefined ? {} : { deletionTimestamp: before(own.deleted) }),
    },
    spec: { taints: own.taints ?? [], unschedulable: own.cordoned ?? false, providerID: own.providerID },
    status: {
      allocatable: { pods: '110' },
      conditions: [
        { type: 'Ready', status: own.ready ?? 'True', lastTransitionTime: before(own.readySince ?? age) },
        ...(own.conditions ?? []).map(({ type, status, since }) => ({
          type,
          status,
          lastTransitionTime: before(since ?? age),
        })),
      ],
    },
  }
}

export type PodCase = {
  readonly node?: string
  readonly namespace?: string
  readonly uid?: string
  /** Minutes since it was bound to its node. */
  readonly age?: number
  readonly state?: Fields
  readonly last?: Fields
  readonly restarts?: number
  readonly phase?: string
  readonly reason?: string
  readonly container?: string
  readonly owner?: { readonly kind: string; readonly name: string }
  readonly labels?: Fields
  readonly hostNetwork?: boolean
  readonly conditions?: readonly Fields[]
  readonly deleted?: number
  readonly grace?: number
  readonly lastSeen?: number
  readonly init?: Fields
}

export function buildPod(name: string, given: PodCase = {}): Fields {
  const own = { age: 60, container: 'main', node: 'sting', phase: 'Running', ...given }
  const { container } = own
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: before(own.age) }
  return {
    metadata: podMetadata(name, own),
    spec: { nodeName: own.node, hostNetwork: own.hostNetwork ?? false, containers: [{ name: container }] },
    status: {
      phase: own.phase,
      reason: own.reason,
      startTime: before(own.age),
      conditions: [scheduled, ...(own.conditions ?? [])],
      containerStatuses: [
        { name: container, restartCount: own.restarts ?? 0, state: own.state ?? {}, lastState: own.last ?? {} },
      ],
      initContainerStatuses: own.init === undefined ? [] : [{ name: 'setup', restartCount: 0, state: own.init }],
    },
  }
}

function podMetadata(name: string, own: PodCase & { readonly age: number }): Fields {
  return {
    name,
    namespace: own.namespace ?? 'arc',
    uid: own.uid ?? `uid-${name}`,
    creationTimestamp: before(own.age),
    labels: own.labels ?? {},
    annotations: own.lastSeen === undefined ? {} : { 'signalbox.dev/last-seen': before(own.lastSeen) },
    ownerReferences: own.owner === undefined ? [] : [own.owner],
    ...(own.deleted === undefined
      ? {}
      : { deletionTimestamp: before(own.deleted), deletionGracePeriodSeconds: own.grace ?? 0 }),
  }
}

export const running = (since: number): Fields => ({ running: { startedAt: before(since) } })

export const waits = (reason: string, message?: string): Fields => ({ waiting: { reason, message } })

export const ended = (at: number, exitCode = 1, lived = 20, reason = 'Error'): Fields => ({
  terminated: { exitCode, reason, startedAt: before(at + lived), finishedAt: before(at) },
})

/** A pod that its node accepted and does not start. */
export const stuck = (name: string, age: number, own: PodCase = {}): Fields =>
  buildPod(name, { age, phase: 'Pending', state: waits('ContainerCreating'), ...own })

export function runnerPod(name: string, own: PodCase & { readonly set?: string } = {}): Fields {
  return buildPod(name, {
    container: 'runner',
    owner: { kind: 'EphemeralRunner', name },
    labels: { 'actions.github.com/scale-set-name': own.set ?? 'lane' },
    ...own,
  })
}

/** A runner that ended on its node `at` minutes ago. */
export const dead = (
  name: string,
  at: number,
  own: PodCase & { readonly set?: string; readonly code?: number; readonly lived?: number } = {},
): Fields =>
  runnerPod(name, {
    age: at + (own.lived ?? 20) + 1,
    phase: own.code === 0 ? 'Succeeded' : 'Failed',
    state: ended(at, own.code ?? 137, own.lived ?? 20),
    ...own,
  })

export const daemon = (name: string, set: string, own: PodCase = {}): Fields =>
  buildPod(name, {
    namespace: 'kube-system',
    owner: { kind: 'DaemonSet', name: set },
    hostNetwork: true,
    age: DAY,
    ...own,
  })

export type EventCase = {
  readonly kind?: string
  readonly namespace?: string
  readonly uid?: string | null
  readonly host?: string
  readonly count?: number
  /** Minutes before now; the last time is the second argument. */
  readonly first?: number
  readonly message?: string
  readonly reporter?: string
}

export function buildEvent(reason: string, at: number, name: string, own: EventCase = {}): Fields {
  const kind = own.kind ?? 'Pod'
  return {
    reason,
    message: own.message ?? reason,
    count: own.count ?? 1,
    firstTimestamp: before(own.first ?? at),
    lastTimestamp: before(at),
    involvedObject: {
      kind,
      name,
      ...(kind === 'Node' ? {} : { namespace: own.namespace ?? 'arc' }),
      ...(own.uid === null ? {} : { uid: own.uid ?? `uid-${name}` }),
    },
    source: { component: own.reporter ?? 'kubelet', ...(own.host === undefined ? {} : { host: own.host }) },
  }
}

export const nodeEvent = (reason: string, at: number, node: string, own: EventCase = {}): Fields =>
  buildEvent(reason, at, node, { kind: 'Node', ...own })

export function buildLease(
  name: string,
  renewed: number,
  own: {
    readonly namespace?: string
    readonly acquired?: number
    readonly created?: number
    readonly labels?: Fields
  } = {},
): Fields {
  return {
    metadata: {
      name,
      namespace: own.namespace ?? 'kube-node-lease',
      creationTimestamp: before(own.created ?? 30 * DAY),
      labels: own.labels ?? {},
    },
    spec: {
      leaseDurationSeconds: 40,
      renewTime: before(renewed),
      ...(own.acquired === undefined ? {} : { acquireTime: before(own.acquired) }),
    },
  }
}
