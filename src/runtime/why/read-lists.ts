import { readAuditLogLine } from '#/core/kubernetes/audit-log-facts.ts'
import type { AuditLogFacts } from '#/core/kubernetes/audit-log-facts.ts'
import type { LogName } from '#/core/evidence/bundle-path.ts'
import { readEvent } from '#/core/kubernetes/event-facts.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { numberAt, textAt } from '#/core/basics/fields.ts'
import { readNode } from '#/core/kubernetes/node-facts.ts'
import type { NodeFacts } from '#/core/kubernetes/node-facts.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { readPod } from '#/core/kubernetes/pod-facts.ts'
import type { PodFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Trace } from '#/core/evidence/subject.ts'
import { toSourceState } from '#/core/why/source-state.ts'
import type { SourceState } from '#/core/why/source-state.ts'
import { readWorkflowJob } from '#/core/github/workflow-job-facts.ts'
import type { WorkflowJobFacts } from '#/core/github/workflow-job-facts.ts'
import type { Bundle, BundleObject } from '#/ports/bundle.ts'

/** What every subject of a bundle needs: the lists, read once. */
export type Common = {
  readonly bundle: Bundle
  readonly pods: readonly PodFacts[]
  readonly nodes: readonly NodeFacts[] | null
  readonly events: readonly EventFacts[]
  readonly namespaces: ReadonlyMap<string, number | null> | null
  readonly audit: readonly AuditLogFacts[]
  readonly ephemeralRunners: readonly BundleObject[]
  readonly jobs: readonly WorkflowJobFacts[]
  readonly logs: readonly LogName[]
  readonly rateLimit: { readonly remaining: number; readonly limit: number } | null
  readonly traces: readonly Trace[]
  readonly states: ReadonlyMap<string, SourceState>
}

export async function readCommon(bundle: Bundle): Promise<Common> {
  const [pods, nodes, events, namespaces, audit, runners, rateLimit, githubRunners, jobs] = await Promise.all([
    bundle.list('pods'),
    bundle.list('nodes'),
    bundle.list('events'),
    bundle.list('namespaces'),
    bundle.auditLog(),
    bundle.list('ephemeralrunners'),
    bundle.githubRateLimit(),
    bundle.githubRunners(),
    readJobs(bundle),
  ])
  const logs = bundle.logs()
  const known = {
    pods: toRows(pods).map(readPod),
    events: toRows(events).map(readEvent),
    audit: (audit.kind === 'seen' ? audit.value.lines : []).map(readAuditLogLine).filter((line) => line !== null),
    ephemeralRunners: toRows(runners),
    logs: logs.kind === 'seen' ? logs.value : [],
  }
  const state = (source: string, observed: Observed<unknown>) =>
    [source, toSourceState(observed, bundle.coverage(source))] as const
  return {
    bundle,
    ...known,
    nodes: nodes.kind === 'blind' ? null : toRows(nodes).map(readNode),
    namespaces:
      namespaces.kind === 'blind'
        ? null
        : new Map(toRows(namespaces).map(({ metadata }) => [metadata.name, createdAt(metadata)])),
    jobs: jobs.rows,
    rateLimit: coreLimit(rateLimit),
    traces: listTraces(known),
    states: new Map([
      state('kubernetes/pods', pods),
      state('kubernetes/nodes', nodes),
      state('kubernetes/events', events),
      state('kubernetes/audit', audit),
      state('kubernetes/ephemeralrunners', runners),
      state('github/jobs', jobs.observed),
      state('github/rate-limit', rateLimit),
      state('github/runners', githubRunners),
    ]),
  }
}

function createdAt(metadata: unknown): number | null {
  const at = Date.parse(textAt(metadata, 'creationTimestamp') ?? '')
  return Number.isNaN(at) ? null : at
}

function toRows<T>(observed: Observed<readonly T[]>): readonly T[] {
  return observed.kind === 'seen' ? observed.value : []
}

/** Jobs that were fetched one by one, and those in the list of queued jobs. */
async function readJobs(bundle: Bundle): Promise<{ rows: readonly WorkflowJobFacts[]; observed: Observed<unknown> }> {
  const ids = bundle.githubJobs()
  const [queued, ...jobs] = await Promise.all([
    bundle.githubQueuedJobs(),
    ...(ids.kind === 'seen' ? ids.value.map((id) => bundle.githubJob(id)) : []),
  ])
  const single = jobs.flatMap((job) => (job.kind === 'seen' ? [readWorkflowJob(job.value)] : []))
  const listed = toRows(queued)
    .map(readWorkflowJob)
    .filter(({ id }) => !single.some((job) => job.id === id))
  const unreadable = jobs.find((job) => job.kind === 'blind')
  const observed = single.length === 0 ? (unreadable ?? ids) : ids
  return {
    rows: [...single, ...listed],
    observed: observed.kind === 'none' ? blind('expired', 'GitHub has no such job') : observed,
  }
}

function coreLimit(observed: Observed<unknown>): Common['rateLimit'] {
  if (observed.kind !== 'seen') return null
  const remaining =
    numberAt(observed.value, 'resources', 'core', 'remaining') ?? numberAt(observed.value, 'rate', 'remaining')
  const limit = numberAt(observed.value, 'resources', 'core', 'limit') ?? numberAt(observed.value, 'rate', 'limit')
  return remaining === null || limit === null ? null : { remaining, limit }
}

/** Everything that names a pod is a trace of it, even after the pod is gone. */
function listTraces(known: Pick<Common, 'events' | 'audit' | 'ephemeralRunners' | 'logs'>): readonly Trace[] {
  const fallen = known.events.filter(({ kind, reason }) => kind === 'Node' && reason === NOT_READY)
  return [
    ...known.events.flatMap((event) => eventTrace(event, fallen)),
    ...known.audit.flatMap(auditTrace),
    ...known.ephemeralRunners.flatMap((runner) =>
      makeTrace(textAt(runner, 'metadata', 'namespace'), runner.metadata.name),
    ),
    ...known.logs.flatMap(({ namespace, pod }) => makeTrace(namespace, pod)),
  ]
}

const ASSIGNED = /^Successfully assigned \S+ to (?<node>\S+)$/

function eventTrace(event: EventFacts, fallen: readonly EventFacts[]): readonly Trace[] {
  const { kind, namespace, name, uid, host, firstAt, message } = event
  if (kind !== 'Pod' || namespace === null || name === null) return []
  const node = host ?? ASSIGNED.exec(message)?.groups?.['node'] ?? fallenNode(event, fallen)
  return [{ namespace, name, uid, node, at: firstAt }]
}

const NOT_READY = 'NodeNotReady'
const SAME_PASS_MS = 2000

/** The node controller reports a node and then its pods, without naming it again. Of two that fell together it may be either. */
function fallenNode({ reason, firstAt }: EventFacts, fallen: readonly EventFacts[]): string | null {
  if (reason !== NOT_READY || firstAt === null) return null
  const isNow = (at: number | null): boolean => at !== null && Math.abs(at - firstAt) <= SAME_PASS_MS
  const names = new Set(fallen.filter((node) => isNow(node.firstAt) || isNow(node.lastAt)).map(({ name }) => name))
  const [name = null] = names
  return names.size === 1 ? name : null
}

/** Without the UID of the line: it belongs to the pod that is being deleted, which is the wrong one if the name is reused. */
function auditTrace({ resource, namespace, name, at }: AuditLogFacts): readonly Trace[] {
  return resource === 'pods' && name !== null ? makeTrace(namespace, name, at) : []
}

function makeTrace(namespace: string | null, name: string, at: number | null = null): readonly Trace[] {
  return namespace === null ? [] : [{ namespace, name, uid: null, node: null, at }]
}
