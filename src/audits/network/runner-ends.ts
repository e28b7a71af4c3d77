import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import { conditionAs } from '#/core/kubernetes/pod-facts.ts'
import type { RunnerDeath } from '#/core/fleet/runner-death.ts'
import { eventNode, isOwnRunnerPod, readPodDeath, runnerDeaths } from '#/core/fleet/runner-death.ts'
import { BY_GITHUB, podEnd } from './asked.ts'
import { lostJobs } from './lost-job.ts'
import type { NetworkView } from './view.ts'

/**
 * One runner that ended unexpectedly. Its pod and GitHub have different clocks: GitHub gives up a silent runner only
 * after minutes, and a runner whose pod is gone may be known by GitHub alone.
 */
export type RunnerEnd = {
  readonly name: string
  readonly namespace: string | null
  readonly node: string | null
  readonly podAt: number | null
  readonly jobAt: number | null
  readonly how: string
}

type PodEnd = Omit<RunnerEnd, 'jobAt' | 'podAt'> & { readonly podAt: number }

export function listRunnerEnds(view: NetworkView): readonly RunnerEnd[] {
  const { fleet } = view
  const toPod = podNames(fleet)
  const ends = new Map<string, RunnerEnd>()
  for (const end of [...evictedByEvents(view, toPod), ...podEnds(fleet, toPod)])
    ends.set(end.name, { ...end, jobAt: null })
  for (const { runner, completedAt, how } of lostJobs(fleet)) {
    const name = toPod(runner)
    const known = ends.get(name)
    ends.set(name, {
      ...(known ?? { name, ...findPlace(name, fleet), podAt: null, how }),
      jobAt: Math.max(known?.jobAt ?? 0, completedAt),
    })
  }
  return withAsked([...ends.values()], view)
}

/** The asked runner ended, whatever shows of it: the question says so. */
function withAsked(ends: readonly RunnerEnd[], { asked }: NetworkView): readonly RunnerEnd[] {
  const { runner, end } = asked
  if (runner === null || !asked.hasEnded) return ends
  const { podName, namespace, node, podEnd } = runner
  const isOwn = ({ name }: RunnerEnd): boolean => name === podName || name === runner.name
  const known = ends.find(isOwn)
  const isByGitHub = asked.endedBy === BY_GITHUB
  const own: RunnerEnd = {
    name: podName,
    namespace,
    node,
    how: known?.how ?? 'the given runner',
    // A moment that no clock gave counts as that of the pod, if its own is unknown.
    podAt: podEnd ?? (isByGitHub ? null : end),
    jobAt: isByGitHub ? end : (known?.jobAt ?? null),
  }
  return [...ends.filter((one) => !isOwn(one)), own]
}

/** The name of the pod that a runner's name belongs to: the same, or the part before a suffix. */
function podNames({ pods, runners, events }: Fleet): (runner: string) => string {
  const named = new Map(runners.map(({ runnerName, name }) => [runnerName, name]))
  const known = new Set([
    ...pods.map(({ name }) => name),
    ...runners.map(({ name }) => name),
    ...events.flatMap(({ kind, name }) => (kind === 'Pod' && name !== null ? [name] : [])),
  ])
  return (runner) => {
    const exact = named.get(runner)
    if (exact !== undefined || known.has(runner)) return exact ?? runner
    for (let cut = runner.lastIndexOf('-'); cut > 0; cut = runner.lastIndexOf('-', cut - 1)) {
      if (known.has(runner.slice(0, cut))) return runner.slice(0, cut)
    }
    return runner
  }
}

function findPlace(name: string, fleet: Fleet): Pick<RunnerEnd, 'namespace' | 'node'> {
  const pod = fleet.pods.find((one) => one.name === name)
  if (pod !== undefined) return { namespace: pod.namespace, node: pod.node }
  const events = fleet.events.filter((event) => event.kind === 'Pod' && event.name === name)
  const node = events.map(eventNode).find((one) => one !== null) ?? null
  return { namespace: events[0]?.namespace ?? null, node }
}

/** ARC's runners, and pods of any other controller that a job names or whose container says so. */
function podEnds(fleet: Fleet, toPod: (runner: string) => string): readonly PodEnd[] {
  const named = new Set(fleet.jobs.flatMap(({ runner }) => (runner === null ? [] : [toPod(runner)])))
  const other = fleet.pods
    .filter((pod) => !isOwnRunnerPod(pod) && (named.has(pod.name) || hasRunner(pod)))
    .flatMap((pod) => readPodDeath(pod) ?? [])
  const died = [...runnerDeaths(fleet), ...other].map(toPodEnd)
  const taken = fleet.pods
    .filter((pod) => isOwnRunnerPod(pod) || named.has(pod.name) || hasRunner(pod))
    .flatMap((pod) => takenAway(pod, fleet.now) ?? [])
  return [...taken, ...died]
}

function toPodEnd({ name, namespace, node, at, how }: Pick<RunnerDeath, 'name' | 'namespace' | 'node' | 'at' | 'how'>) {
  return { name, namespace, node, podAt: at, how }
}

/** Only a container that is called so: an application's only container is not a runner. */
function hasRunner({ containers }: PodRecord): boolean {
  return containers.some(
    ({ role, name, image }) => role === 'main' && (name === 'runner' || /(?:actions|github)-runner/.test(image ?? '')),
  )
}

/** Reasons of a pod that was ended from outside, whatever its runner's exit code says. */
const FORCED = /^(?:Evicted|Terminated|NodeShutdown|Shutdown|NodeLost|Preempting)$/

/** The node is given up. Otherwise a terminating runner may still finish its job within its grace period. */
const GIVEN_UP: ReadonlySet<string | null> = new Set(['DeletionByTaintManager', 'DeletionByPodGC'])

/** A pod that was ended from outside, or that stays Running and terminating because nobody on its node can end it. */
function takenAway(pod: PodRecord, now: number): PodEnd | null {
  const { name, namespace, node, reason, message } = pod
  if (!hasEnded(pod)) {
    const how = stuckBy(pod, now)
    return how === null ? null : { name, namespace, node, ...how }
  }
  const at = FORCED.test(reason ?? '') ? podEnd(pod) : null
  return at === null ? null : { name, namespace, node, podAt: at, how: `${reason}: ${message ?? ''}` }
}

function stuckBy(pod: PodRecord, now: number): Pick<PodEnd, 'podAt' | 'how'> | null {
  const disrupted = conditionAs(pod, 'DisruptionTarget', 'True')
  if (pod.deletedAt === null || disrupted === null) return null
  if (!GIVEN_UP.has(disrupted.reason) && now < pod.deletedAt) return null
  const why = disrupted.message ?? disrupted.reason ?? 'its node was given up'
  return { podAt: disrupted.since ?? pod.deletedAt, how: `it is terminating: ${why}` }
}

const TAKEN: ReadonlySet<string> = new Set(['Evicted', 'TaintManagerEviction', 'Preempted', 'NodeShutdown'])
const RUNNER_NAME = /-runner-[a-z0-9]{5}$/

/** A pod that is gone leaves its events. The taint manager's have no UID. */
function evictedByEvents({ fleet, asked }: NetworkView, toPod: (runner: string) => string): readonly PodEnd[] {
  const named = new Set(fleet.jobs.flatMap(({ runner }) => (runner === null ? [] : [toPod(runner)])))
  const records = new Set(fleet.runners.map(({ name }) => name))
  const family = nameFamily(asked.runner?.podName ?? '')
  const isRunner = (name: string): boolean =>
    RUNNER_NAME.test(name) || named.has(name) || records.has(name) || (family !== '' && nameFamily(name) === family)
  return fleet.events.flatMap((event) => {
    const { kind, name, namespace, lastAt, reason, message } = event
    if (kind !== 'Pod' || name === null || lastAt === null || !TAKEN.has(reason) || !isRunner(name)) return []
    if (/^cancel/i.test(message) || isListed(event, fleet)) return []
    return [{ name, namespace, ...whereabouts(event, fleet), podAt: lastAt, how: `${reason}: ${message}` }]
  })
}

/** The pod itself shows more than its event. */
function isListed({ uid, namespace, name }: EventFacts, fleet: Fleet): boolean {
  const pod = fleet.podAt(namespace ?? 'default', name ?? '')
  return pod !== null && (uid === null || uid === '' || pod.uid === uid)
}

function whereabouts(event: EventFacts, fleet: Fleet): Pick<RunnerEnd, 'node'> {
  return { node: eventNode(event) ?? findPlace(event.name ?? '', fleet).node }
}

/** The name without what differs between the pods of one set. */
function nameFamily(name: string): string {
  return name.includes('-') ? name.slice(0, name.lastIndexOf('-')) : ''
}
