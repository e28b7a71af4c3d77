import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import { at, toFields, textAt, timeAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import type { Terminated } from '#/core/kubernetes/pod-facts.ts'
import { knownRunnerContainer } from '#/core/kubernetes/runner-container.ts'

/** A runner that ended unexpectedly, according to its pod, ARC or events. */
export type RunnerDeath = {
  readonly namespace: string
  readonly name: string
  /** Null if unknown. */
  readonly node: string | null
  readonly at: number
  readonly how: string
  /** The scale set, if known. */
  readonly set: string | null
  /** How long it had run; null if unknown. */
  readonly livedMs: number | null
  /** A drain or a preemption: not the node's fault. */
  readonly isDisruption: boolean
}

export function runnerDeaths(fleet: Fleet): readonly RunnerDeath[] {
  const deaths = new Map<string, RunnerDeath>()
  for (const pod of fleet.pods.filter(isOwnRunnerPod)) {
    const death = readPodDeath(pod)
    if (death !== null) deaths.set(pod.uid ?? `${pod.namespace}/${pod.name}`, death)
  }
  const listed = new Set(fleet.pods.flatMap(({ uid }) => uid ?? []))
  for (const [uid, death] of [...recordedFailures(fleet), ...evictions(fleet)]) {
    if (!listed.has(uid) && !deaths.has(uid)) deaths.set(uid, death)
  }
  return [...deaths.values()]
}

/** The runner's own pod, not a job pod. */
export function isOwnRunnerPod({ ownerKinds, labels }: Pick<PodRecord, 'ownerKinds' | 'labels'>): boolean {
  return (
    ownerKinds.some(({ kind }) => kind === 'EphemeralRunner') || textAt(labels, 'actions-ephemeral-runner') !== null
  )
}

/** The kubelet rejected the pod: the runner never started. */
const REFUSED = /^(?:OutOf\w+|NodeAffinity|TopologyAffinityError|UnexpectedAdmissionError)$/
/** GitHub refuses the runner version: no node is to blame. */
const OUTDATED_EXIT = 7
const DISRUPTIONS: ReadonlySet<string> = new Set(['EvictionByEvictionAPI', 'PreemptionByScheduler'])

/** The unexpected end of a runner's pod, whoever made the pod. */
export function readPodDeath(pod: PodRecord): RunnerDeath | null {
  if (REFUSED.test(pod.reason ?? '')) return null
  const end = readEnd(pod)
  const diedAt = end?.finishedAt ?? (pod.phase === 'Failed' ? failedAt(pod) : null)
  if (diedAt === null || !isDeath(pod, end, diedAt)) return null
  const { namespace, name, node, labels } = pod
  return {
    namespace,
    name,
    node,
    at: diedAt,
    how: describeEnd(pod, end),
    set: textAt(labels, 'actions.github.com/scale-set-name'),
    livedMs: livedMs(end, diedAt),
    isDisruption: DISRUPTIONS.has(conditionAs(pod, 'DisruptionTarget', 'True')?.reason ?? ''),
  }
}

function readEnd(pod: PodRecord): Terminated | null {
  const state = knownRunnerContainer(pod)?.state
  return state?.kind === 'terminated' ? state : null
}

function livedMs(end: Terminated | null, diedAt: number): number | null {
  return end === null || end.startedAt === null ? null : diedAt - end.startedAt
}

function isDeath(pod: PodRecord, end: Terminated | null, diedAt: number): boolean {
  if (pod.reason === 'Evicted') return true
  if (end !== null && (end.exitCode === 0 || end.exitCode === OUTDATED_EXIT)) return false
  return !wasRequested(pod, diedAt) || conditionAs(pod, 'DisruptionTarget', 'True') !== null
}

/** A scaled-down runner also ends by a signal, but after its deletion was requested. */
function wasRequested({ deletedAt, graceSeconds }: PodRecord, diedAt: number): boolean {
  return deletedAt !== null && diedAt >= deletedAt - (graceSeconds ?? 0) * 1000 - 1000
}

/** When a pod ended whose container has no finish time. */
export function failedAt(pod: PodRecord): number | null {
  const disrupted = conditionAs(pod, 'DisruptionTarget', 'True')
  return disrupted?.since ?? conditionAs(pod, 'Ready', 'False')?.since ?? pod.lastSeenAt ?? pod.startedAt
}

function describeEnd({ reason, message }: PodRecord, end: Terminated | null): string {
  if (reason !== null) return `${reason}${message === null ? '' : `: ${message}`}`
  if (end === null) return 'its pod has failed'
  const code = end.exitCode === null ? 'no exit code' : `exit code ${end.exitCode}`
  return end.reason === null ? code : `${code}, ${end.reason}`
}

/** What events show of a pod that is gone: its node, and when its container started. */
type Trace = { readonly node: string | null; readonly startedAt: number | null }

function findTraces({ events }: Fleet, uids: ReadonlySet<string>): ReadonlyMap<string, Trace> {
  const traces = new Map<string, Trace>()
  for (const event of events) {
    if (event.uid === null || !uids.has(event.uid)) continue
    const known = traces.get(event.uid)
    traces.set(event.uid, {
      node: known?.node ?? eventNode(event),
      startedAt: event.reason === 'Started' ? event.lastAt : (known?.startedAt ?? null),
    })
  }
  return traces
}

/** The node of the kubelet that wrote the event, or the node in the scheduler's message. */
export function eventNode({ reason, message, host }: EventFacts): string | null {
  if (host !== null) return host
  if (reason !== 'Scheduled') return null
  return / to (?<node>\S{1,253})$/.exec(message)?.groups?.['node'] ?? null
}

/** ARC removes a failed pod within a second and keeps its UID with the time. */
function recordedFailures(fleet: Fleet): readonly (readonly [string, RunnerDeath])[] {
  const { runners } = fleet
  const uids = runners.flatMap(({ raw }) => Object.keys(toFields(at(raw, 'status', 'failures'))))
  const traces = findTraces(fleet, new Set(uids))
  return runners.flatMap(({ namespace, name, setName, raw }) => {
    const failures = toFields(at(raw, 'status', 'failures'))
    return Object.keys(failures).flatMap((uid) => {
      const diedAt = timeAt(failures, uid)
      if (diedAt === null) return []
      const { node = null, startedAt = null } = traces.get(uid) ?? {}
      const how = 'ARC recorded that its pod failed'
      // It had no job yet, so an unknown lifetime was short.
      const lived = startedAt === null ? 0 : diedAt - startedAt
      const death = { namespace, name, node, at: diedAt, how, set: setName, livedMs: lived, isDisruption: false }
      return [[uid, death] as const]
    })
  })
}

const RUNNER_NAME = /-runner-[a-z0-9]{5}$/

function evictions({ events }: Fleet): readonly (readonly [string, RunnerDeath])[] {
  return events.flatMap((event) => {
    const { reason, kind, uid, namespace, name, host, lastAt, message } = event
    if (reason !== 'Evicted' || kind !== 'Pod' || uid === null || lastAt === null) return []
    if (!RUNNER_NAME.test(name ?? '')) return []
    const death = { namespace: namespace ?? 'default', name: name ?? '', node: host, at: lastAt }
    return [[uid, { ...death, how: `Evicted: ${message}`, set: null, livedMs: null, isDisruption: false }] as const]
  })
}
