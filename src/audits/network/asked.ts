import type { Question } from '#/core/audit/audit.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { FindingSubject } from '#/core/audit/finding.ts'
import type { Fleet, Runner } from '#/core/fleet/fleet.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import { failedAt, eventNode } from '#/core/fleet/runner-death.ts'
import { knownRunnerContainer } from '#/core/kubernetes/runner-container.ts'

export type Window = { readonly from: number; readonly to: number }

/** The subject of the question: the end of one runner, or a time. */
export type Asked = {
  readonly subject: FindingSubject
  /** Null if only a time was given. */
  readonly runner: AskedRunner | null
  readonly end: number
  /** Which source gave the end. */
  readonly endedBy: string
  /** False for a runner that still runs: the question is then about now. */
  readonly hasEnded: boolean
  readonly window: Window
  /** The nodes that count: the runner's own node; all nodes if only a time was given. */
  readonly nodes: readonly string[]
}

export type AskedRunner = {
  readonly name: string
  readonly namespace: string | null
  readonly podName: string
  /** Null if it is gone, or if another pod now has its name. */
  readonly pod: PodRecord | null
  readonly node: string | null
  /** When its pod ended, if known: GitHub notices some minutes later. */
  readonly podEnd: number | null
}

export type Asking =
  | { readonly kind: 'asked'; readonly asked: Asked }
  | { readonly kind: 'unknown'; readonly why: string }

/** The subject if no single object is to blame. */
export const API_SERVICE: FindingSubject = { kind: 'Service', namespace: 'default', name: 'kubernetes' }

export function readQuestion(fleet: Fleet, question: Question): Asking {
  const { runner: name, at } = question
  if (name !== null) return askedRunner(fleet, name, at)
  if (at === null) return { kind: 'unknown', why: 'audit network requires --runner or --at' }
  const nodes = fleet.nodes.map((node) => node.name).filter((node) => isAmong(question.nodes, node))
  const window = buildWindow(at, fleet)
  return {
    kind: 'asked',
    asked: { subject: API_SERVICE, runner: null, end: at, endedBy: 'given by --at', hasEnded: true, window, nodes },
  }
}

function isAmong(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name)
}

function buildWindow(end: number, { thresholds }: Fleet): Window {
  return { from: end - thresholds.networkBefore, to: end + thresholds.networkAfter }
}

/** Everything that names the runner. */
type RunnerTraces = {
  readonly name: string
  readonly podName: string
  readonly record: Runner | null
  readonly pod: PodRecord | null
  readonly jobs: Fleet['jobs']
  readonly events: readonly EventFacts[]
}

function findTraces(fleet: Fleet, name: string): RunnerTraces | null {
  const record = fleet.runners.find((one) => one.name === name || one.runnerName === name) ?? null
  const pod = findPod(fleet, name, record)
  const podName = pod?.name ?? record?.name ?? namedByEvents(fleet, name) ?? name
  const events = fleet.events.filter((event) => event.kind === 'Pod' && event.name === podName)
  const names = new Set([name, podName, record?.runnerName])
  const jobs = fleet.jobs.filter(({ runner }) => runner !== null && names.has(runner))
  const isKnown = pod !== null || record !== null || jobs.length + events.length > 0
  return isKnown ? { name, podName, record, pod, jobs, events } : null
}

function askedRunner(fleet: Fleet, given: string, moment: number | null): Asking {
  const name = given.slice(given.lastIndexOf('/') + 1)
  const traces = findTraces(fleet, name)
  if (traces === null) {
    return { kind: 'unknown', why: `no pod, EphemeralRunner, job or event names runner ${name}` }
  }
  const ended = moment === null ? findEnd(traces, fleet.now) : { at: moment, by: 'given by --at' }
  if (ended === null) return { kind: 'unknown', why: `no source shows when runner ${name} ended` }
  const runner = runnerAt(traces, ended.at)
  return {
    kind: 'asked',
    asked: {
      subject: {
        kind: traces.record === null && runner.pod !== null ? 'Pod' : 'EphemeralRunner',
        ...(runner.namespace === null ? {} : { namespace: runner.namespace }),
        name: traces.podName,
      },
      runner,
      end: ended.at,
      endedBy: ended.by,
      hasEnded: ended.by !== ALIVE,
      window: buildWindow(ended.at, fleet),
      nodes: runner.node === null ? [] : [runner.node],
    },
  }
}

/** A pod created after the end is the next one of that name. */
function runnerAt({ name, podName, pod: listed, record, events }: RunnerTraces, end: number): AskedRunner {
  const pod = listed !== null && (listed.createdAt ?? 0) <= end ? listed : null
  const before = events.filter(({ firstAt }) => (firstAt ?? 0) <= end)
  const namespace = (pod ?? record ?? before[0])?.namespace ?? null
  return {
    name,
    podName,
    pod,
    namespace,
    node: pod?.node ?? findNode(before),
    podEnd: podEnd(pod) ?? lastKill(before),
  }
}

/** By the runner's name: the pod's name, or the pod's name plus a suffix. */
function findPod({ pods, podAt }: Fleet, name: string, record: Runner | null): PodRecord | null {
  const own = record === null ? null : podAt(record.namespace, record.name)
  if (own !== null) return own
  let best: PodRecord | null = null
  for (const pod of pods) {
    if (pod.name === name) return pod
    if (pod.name !== '' && name.startsWith(`${pod.name}-`) && pod.name.length > (best?.name.length ?? 0)) best = pod
  }
  return best
}

function namedByEvents({ events }: Fleet, name: string): string | null {
  for (const event of events) {
    const own = event.kind === 'Pod' ? event.name : null
    if (own !== null && (own === name || name.startsWith(`${own}-`))) return own
  }
  return null
}

function findNode(events: readonly EventFacts[]): string | null {
  for (const event of events) {
    const node = eventNode(event)
    if (node !== null) return node
  }
  return null
}

const ALIVE = 'it has not ended'
export const BY_GITHUB = "GitHub's completed_at of its job"

type Ended = { readonly at: number; readonly by: string }

function findEnd({ jobs, pod, events }: RunnerTraces, now: number): Ended | null {
  const completed = jobs.reduce((latest, { completedAt }) => Math.max(latest, completedAt ?? 0), 0)
  if (completed > 0) return { at: completed, by: BY_GITHUB }
  const podEnded = podEnd(pod)
  if (podEnded !== null) return { at: podEnded, by: 'the end of its pod' }
  if (pod !== null && !hasEnded(pod)) return { at: now, by: ALIVE }
  const kill = lastKill(events)
  return kill === null ? null : { at: kill, by: 'the last event about its pod' }
}

/** When a pod ended or was taken away; the deletion timestamp is the end of its grace period. */
export function podEnd(pod: PodRecord | null): number | null {
  if (pod === null) return null
  const state = knownRunnerContainer(pod)?.state
  if (state?.kind === 'terminated' && state.finishedAt !== null) return state.finishedAt
  if (hasEnded(pod)) return failedAt(pod)
  const disrupted = pod.deletedAt === null ? null : conditionAs(pod, 'DisruptionTarget', 'True')
  return disrupted?.since ?? pod.deletedAt ?? pod.lastSeenAt
}

const KILLS = new Set(['Killing', 'Evicted', 'Preempted', 'Preempting', 'TaintManagerEviction', 'NodeNotReady'])

function lastKill(events: readonly EventFacts[]): number | null {
  const last = events.reduce(
    (latest, { reason, lastAt }) => (KILLS.has(reason) ? Math.max(latest, lastAt ?? 0) : latest),
    0,
  )
  return last === 0 ? null : last
}
