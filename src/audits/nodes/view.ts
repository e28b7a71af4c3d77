import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { at } from '#/core/basics/fields.ts'
import type { Question } from '#/core/audit/audit.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { isDaemonPod } from '#/core/fleet/node-room.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { everRan } from '#/core/kubernetes/pod-record.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'

/** What this audit sees of one node: its pods and events. */
export type NodeView = {
  readonly name: string
  /** Null if the node list could not be read. */
  readonly node: NodeRecord | null
  readonly pods: readonly PodRecord[]
  /** About the node, and about pods on it. */
  readonly events: readonly EventFacts[]
  readonly podEvents: (pod: PodRecord) => readonly EventFacts[]
  readonly lastStart: LastStart
}

/** The newest proof that the node can still start a pod. */
export type LastStart = {
  /** When the newest pod that started was bound to the node. */
  readonly boundAt: number
  readonly at: number
}

/** The requested nodes. A node that only pods name counts only if the node list is blind: otherwise it was removed. */
export function buildNodeViews(fleet: Fleet, { nodes }: Question): readonly NodeView[] {
  const records = new Map(fleet.nodes.map((node) => [node.name, node]))
  const named = fleet.saw('kubernetes/nodes') ? [] : fleet.pods.flatMap(({ node }) => node ?? [])
  const events = eventsByNode(fleet)
  return [...new Set([...records.keys(), ...named])]
    .filter((name) => nodes.length === 0 || nodes.includes(name))
    .map((name) =>
      buildNodeView(name, records.get(name) ?? null, { pods: fleet.podsOn(name), events: events.get(name) ?? [] }),
    )
}

function buildNodeView(name: string, node: NodeRecord | null, own: Pick<NodeView, 'pods' | 'events'>): NodeView {
  return { name, node, ...own, podEvents: groupPodEvents(own.events), lastStart: findLastStart(own) }
}

function groupPodEvents(events: readonly EventFacts[]): NodeView['podEvents'] {
  const byPod = Map.groupBy(
    events.filter(({ kind }) => kind === 'Pod'),
    ({ uid, namespace, name }) => uid ?? `${namespace}/${name}`,
  )
  return ({ uid, namespace, name }) => byPod.get(uid ?? '') ?? byPod.get(`${namespace}/${name}`) ?? []
}

function eventsByNode(fleet: Fleet): ReadonlyMap<string, readonly EventFacts[]> {
  const groups = Map.groupBy(fleet.events, (event) => eventNode(event, fleet))
  groups.delete('')
  return groups
}

/** The node of the kubelet that wrote the event, else the node of its pod. */
function eventNode({ kind, name, namespace, host, uid }: EventFacts, fleet: Fleet): string {
  if (kind === 'Node') return name ?? ''
  if (host !== null || kind !== 'Pod') return host ?? ''
  const pod = fleet.podAt(namespace ?? 'default', name ?? '')
  return pod !== null && (uid === null || pod.uid === uid) ? (pod.node ?? '') : ''
}

/** When the pod was bound to its node. */
export function boundAt(pod: PodRecord): number | null {
  return conditionAs(pod, 'PodScheduled', 'True')?.since ?? pod.startedAt ?? pod.createdAt
}

const NEVER: LastStart = { boundAt: -Infinity, at: -Infinity }

function findLastStart({ pods, events }: Pick<NodeView, 'pods' | 'events'>): LastStart {
  const listed = new Set(pods.map(({ uid }) => uid))
  const starts = [
    ...pods.filter((pod) => everRan(pod) && !isHostDaemon(pod)).map(readStart),
    // A runner lives for one job: often only its events still show that it started.
    ...events
      .filter(({ reason, kind, uid }) => reason === 'Started' && kind === 'Pod' && !listed.has(uid))
      .map(({ lastAt }) => ({ boundAt: lastAt ?? -Infinity, at: lastAt ?? -Infinity })),
  ]
  return starts.reduce(
    (newest, one) => ({ boundAt: Math.max(newest.boundAt, one.boundAt), at: Math.max(newest.at, one.at) }),
    NEVER,
  )
}

/** Host network daemons start without the network plugin, so they do not prove that other pods can start. */
function isHostDaemon(pod: PodRecord): boolean {
  return at(pod.spec, 'hostNetwork') === true && isDaemonPod(pod)
}

/** A restarted container needs no new sandbox: only the first start of a pod counts. */
function readStart(pod: PodRecord): LastStart {
  const bound = boundAt(pod) ?? -Infinity
  const isRestarted = pod.containers.some(({ restarts, last }) => restarts > 0 || last.kind === 'terminated')
  if (isRestarted) return { boundAt: bound, at: pod.startedAt ?? bound }
  const starts = pod.containers.flatMap(({ state }) =>
    (state.kind === 'running' || state.kind === 'terminated') && state.startedAt !== null ? [state.startedAt] : [],
  )
  return { boundAt: bound, at: starts.length === 0 ? bound : Math.min(...starts) }
}
