import { textAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { Question } from '#/core/audit/audit.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { Holder } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import type { FleetJob } from '#/core/fleet/github-facts.ts'
import { isLaneJob, servesJob } from '#/core/fleet/lane.ts'
import type { Lane } from '#/core/fleet/lane.ts'
import { listenerStates } from '#/core/fleet/listener-state.ts'
import type { ListenerState } from '#/core/fleet/listener-state.ts'
import type { NodeRoom } from '#/core/fleet/node-room.ts'
import { isRunnerPod, countRooms } from '#/core/fleet/node-room.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { runnerStates } from '#/core/fleet/runner-state.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { joinSetParts, setKey } from '#/core/fleet/set-parts.ts'
import { findAutoscaler } from './autoscaler.ts'
import { listHolders } from './holders.ts'
import { slotCounter } from './slots.ts'
import type { CountSlots } from './slots.ts'

/** What this audit sees of the fleet, computed once for all lanes. */
export type BurstView = {
  readonly fleet: Fleet
  /** What is free now. */
  readonly rooms: readonly NodeRoom[]
  /** What is free if only pods that are not runners are counted. */
  readonly runnerRooms: readonly NodeRoom[]
  /** Evidence of a node autoscaler; null if there is none. */
  readonly autoscaler: string | null
  readonly countSlots: CountSlots
  readonly claimAt: (namespace: string, name: string) => Fields | null
  readonly podEvents: (pod: PodRecord) => readonly EventFacts[]
  /** Runners of one set, without those being deleted: they no longer count as replicas. */
  readonly setRunners: (set: ScaleSet) => readonly RunnerState[]
  readonly findListener: (set: ScaleSet) => ListenerState | null
  readonly setPods: (set: ScaleSet) => readonly PodRecord[]
  /** Queued at GitHub, by label in lower case. */
  readonly queued: ReadonlyMap<string, readonly FleetJob[]>
  readonly running: ReadonlyMap<string, readonly FleetJob[]>
}

export function buildBurstView(fleet: Fleet): BurstView {
  const parts = joinSetParts(fleet)
  const states = [...runnerStates(fleet).values()]
  const pods = podsBySet(fleet, states)
  const runners = Map.groupBy(
    states.filter(({ isDeleting }) => !isDeleting),
    (state) => state.setKey,
  )
  const listeners = listenerStates(fleet, parts)
  const events = Map.groupBy(
    fleet.events.filter(({ kind }) => kind === 'Pod'),
    ({ namespace, name }) => `${namespace}/${name}`,
  )
  const claims = new Map(
    fleet
      .rows('persistentvolumeclaims')
      .map((row) => [`${textAt(row, 'metadata', 'namespace')}/${textAt(row, 'metadata', 'name')}`, row]),
  )
  return {
    fleet,
    rooms: countRooms(fleet),
    runnerRooms: countRooms(fleet, (pod) => !isRunnerPod(pod)),
    autoscaler: findAutoscaler(fleet),
    countSlots: slotCounter(fleet),
    claimAt: (namespace, name) => claims.get(`${namespace}/${name}`) ?? null,
    podEvents: ({ namespace, name, uid }) =>
      // A pod of the same name with another UID is another pod.
      (events.get(`${namespace}/${name}`) ?? []).filter(
        (event) => event.uid === null || uid === null || event.uid === uid,
      ),
    setRunners: (set) => runners.get(setKey(set)) ?? [],
    findListener: (set) => listeners.get(setKey(set)) ?? null,
    setPods: (set) => pods.get(setKey(set)) ?? [],
    // `waiting` and `pending` jobs wait for an approval or their concurrency group: no runner could take them.
    queued: byLabel(fleet.jobs.filter(({ status }) => status === 'queued')),
    running: byLabel(fleet.jobs.filter(({ status }) => status === 'in_progress')),
  }
}

const SET_LABEL = 'actions.github.com/scale-set-name'

/** Runner pods by set: by ARC's label, else by the runner of the same name. Job pods are left out. */
function podsBySet(fleet: Fleet, states: readonly RunnerState[]): ReadonlyMap<string, readonly PodRecord[]> {
  const keys = new Map(states.map((state) => [setKey(state.runner), state.setKey]))
  const findKey = (pod: PodRecord): string | null => {
    const name = textAt(pod.labels, SET_LABEL)
    return name === null ? (keys.get(setKey(pod)) ?? null) : setKey({ namespace: pod.namespace, name })
  }
  const found = Map.groupBy(
    fleet.pods.filter((pod) => isRunnerPod(pod) && pod.lastSeenAt === null),
    (pod) => findKey(pod) ?? '',
  )
  found.delete('')
  return found
}

function byLabel(jobs: readonly FleetJob[]): ReadonlyMap<string, readonly FleetJob[]> {
  const found = new Map<string, FleetJob[]>()
  for (const job of jobs) {
    for (const label of new Set(job.labels.map((label) => label.toLowerCase()))) {
      const known = found.get(label)
      if (known === undefined) found.set(label, [job])
      else known.push(job)
    }
  }
  return found
}

/** What this audit sees of one lane. */
export type LaneView = {
  readonly burst: BurstView
  readonly fleet: Fleet
  readonly lane: Lane
  /** Null if GitHub's queue could not be read: not the same as empty. */
  readonly waiting: readonly FleetJob[] | null
  /** Sets that can take the waiting jobs; all sets of the lane if that is unknown. */
  readonly sets: readonly ScaleSet[]
  /** Of these sets. */
  readonly runners: readonly RunnerState[]
  readonly pods: readonly PodRecord[]
  readonly holders: readonly Holder[]
}

export function buildLaneView(burst: BurstView, lane: Lane): LaneView {
  const { fleet } = burst
  const keepLane = (jobs: readonly FleetJob[] | undefined): readonly FleetJob[] =>
    (jobs ?? []).filter((job) => isLaneJob(lane, job))
  const key = lane.label.toLowerCase()
  const waiting = fleet.saw('github/queued-jobs') ? keepLane(burst.queued.get(key)) : null
  const able = lane.sets.filter((set) => (waiting ?? []).some((job) => servesJob(set, job)))
  const sets = able.length === 0 ? lane.sets : able
  return {
    burst,
    fleet,
    lane,
    waiting,
    sets,
    runners: sets.flatMap((set) => burst.setRunners(set)),
    pods: sets.flatMap((set) => burst.setPods(set)),
    holders: listHolders(
      lane.sets.flatMap((set) => burst.setRunners(set)).map(({ runner }) => runner),
      keepLane(burst.running.get(key)),
    ),
  }
}

/** The requested lanes. An unknown runner selects all lanes: no output would look healthy. */
export function askedLanes(fleet: Fleet, { labels, scaleSets, runner }: Question): readonly Lane[] {
  const wanted = new Set(labels.map((label) => label.toLowerCase()))
  const owner =
    runner === null ? undefined : fleet.runners.find((one) => one.name === runner || one.runnerName === runner)
  return fleet.lanes.filter(
    (lane) =>
      (wanted.size === 0 || wanted.has(lane.label.toLowerCase())) &&
      (scaleSets.length === 0 || lane.sets.some((set) => namesSet(scaleSets, set))) &&
      (owner === undefined || lane.sets.some((set) => set.namespace === owner.namespace && set.name === owner.setName)),
  )
}
