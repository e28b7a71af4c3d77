import type { AuditLogFacts } from '#/core/kubernetes/audit-log-facts.ts'
import { readAuditLogLine } from '#/core/kubernetes/audit-log-facts.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { systemRole } from '#/core/fleet/system-pod.ts'
import type { SystemRole } from '#/core/fleet/system-pod.ts'
import type { Asked, Window } from './asked.ts'

/** What this audit sees of the fleet around one end, computed once. */
export type NetworkView = {
  readonly fleet: Fleet
  readonly asked: Asked
  readonly window: Window
  readonly nodeAt: (name: string) => NodeRecord | null
  /** Events about the node, from its kubelet, and about the runner's own pod if it was there. */
  readonly nodeEvents: (node: string) => readonly EventFacts[]
  readonly podEvents: (pod: PodRecord) => readonly EventFacts[]
  readonly system: ReadonlyMap<SystemRole, readonly PodRecord[]>
  /** Lines of the audit log, oldest first. */
  readonly auditLog: readonly (AuditLogFacts & { readonly at: number })[]
}

export function buildNetworkView(fleet: Fleet, asked: Asked): NetworkView {
  const nodes = new Map(fleet.nodes.map((node) => [node.name, node]))
  const byNode = Map.groupBy(fleet.events, (event) => eventNode(event, asked))
  const byPod = Map.groupBy(fleet.events, ({ uid, namespace, name }) => uid ?? `${namespace}/${name}`)
  const roles = Map.groupBy(fleet.pods, systemRole)
  return {
    fleet,
    asked,
    window: asked.window,
    nodeAt: (name) => nodes.get(name) ?? null,
    nodeEvents: (name) => (name === '' ? [] : (byNode.get(name) ?? [])),
    podEvents: ({ uid, namespace, name }) => byPod.get(uid ?? '') ?? byPod.get(`${namespace}/${name}`) ?? [],
    system: new Map([...roles].flatMap(([role, pods]) => (role === null ? [] : [[role, pods] as const]))),
    auditLog: readAuditLog(fleet),
  }
}

/** The node controller's events about pods of an unreachable node have no host. */
function eventNode({ kind, name, namespace, host }: EventFacts, { runner }: Asked): string {
  if (kind === 'Node') return name ?? ''
  if (host !== null) return host
  const isOwn =
    runner !== null && kind === 'Pod' && name === runner.podName && (runner.namespace ?? namespace) === namespace
  return isOwn ? (runner.node ?? '') : ''
}

function readAuditLog({ snapshot }: Fleet): NetworkView['auditLog'] {
  if (snapshot.auditLog.kind !== 'seen') return []
  return snapshot.auditLog.value
    .flatMap((line) => {
      const facts = readAuditLogLine(line)
      return facts === null || facts.at === null ? [] : [Object.assign(facts, { at: facts.at })]
    })
    .toSorted((a, b) => a.at - b.at)
}
