import type { Fleet } from '#/core/fleet/fleet.ts'
import { servesJob } from '#/core/fleet/lane.ts'
import { holdsRoom } from '#/core/fleet/node-room.ts'
import { countsAgainst, readQuota, roomIn } from '#/core/kubernetes/quota.ts'
import type { Quota, QuotaRoom } from '#/core/kubernetes/quota.ts'
import type { LaneRoom, Template } from './lane-room.ts'
import { laneRoom, buildTemplates } from './lane-room.ts'
import type { LaneView } from './view.ts'
import { setKey } from '#/core/fleet/set-parts.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { Refusal } from './runner-start.ts'
import { isStarting, readySince, findRefusal } from './runner-start.ts'
import type { Slots } from './slots.ts'
import type { Unschedulable } from './unschedulable.ts'
import { readCeiling, nodePromisedAt, refusedByScheduler } from './unschedulable.ts'

/** What a lane has, needs and could have, in numbers. */
export type LaneNumbers = {
  readonly templates: readonly Template[]
  /** Null if nodes or pods could not be read. */
  readonly room: LaneRoom | null
  readonly slots: Slots | null
  /** Evidence of a node autoscaler; null if there is none. */
  readonly autoscaler: string | null
  /** The node autoscaler's message that it may not add a node for these pods. */
  readonly ceiling: string | null
  /** Runners of the lane that are on a node. */
  readonly held: number
  readonly quotas: readonly { readonly quota: Quota; readonly room: QuotaRoom; readonly held: number }[]
  readonly refusals: readonly Refusal[]
  /** Pods that the scheduler refused and for which no new node was promised. */
  readonly unschedulable: readonly Unschedulable[]
  readonly idle: readonly RunnerState[]
  /** Runners that have been idle for long while a matching job has waited for long. */
  readonly starving: readonly RunnerState[]
  /** Waiting jobs without an idle or starting runner; null if the queue is unknown. */
  readonly unmet: number | null
}

export function countLane(view: LaneView): LaneNumbers {
  const { fleet, sets, pods, runners, waiting, burst } = view
  const templates = buildTemplates(fleet, sets)
  const canCount = fleet.saw('kubernetes/nodes') && fleet.saw('kubernetes/pods')
  const room = canCount ? laneRoom(burst.rooms, templates, 'now') : null
  const quotas = countQuotas(view, templates)
  const quotaPlaces = new Set(quotas.map(({ quota }) => quota.namespace))
  const refusals = runners.flatMap(({ runner }) => findRefusal(runner, fleet, quotaPlaces.has(runner.namespace)) ?? [])
  const tried = pods.flatMap((pod) => refusedByScheduler(pod, burst.podEvents(pod)) ?? [])
  const unschedulable = tried.filter(({ pod }) => !isPromised(nodePromisedAt(burst.podEvents(pod)), fleet))
  const idle = runners.filter(({ isIdle }) => isIdle)
  const starving = idle.filter((state) => isStarving(state, view))
  const stuck = new Set([
    ...refusals.map(({ runner }) => setKey(runner)),
    ...unschedulable.map(({ pod }) => setKey(pod)),
  ])
  const starting = runners.filter((one) => isStarting(one, fleet) && !stuck.has(setKey(one.runner)))
  return {
    templates,
    room,
    slots: room === null ? null : burst.countSlots(room.nodes),
    autoscaler: burst.autoscaler,
    ceiling:
      unschedulable.flatMap(({ pod }) => burst.podEvents(pod).flatMap((event) => readCeiling(event) ?? [])).at(-1) ??
      null,
    held: pods.filter((pod) => pod.node !== null && holdsRoom(pod)).length,
    quotas,
    refusals,
    unschedulable,
    idle,
    starving,
    unmet: waiting === null ? null : Math.max(0, waiting.length - idle.length - starting.length),
  }
}

function isPromised(at: number | null, { now, thresholds }: Fleet): boolean {
  return at !== null && now - at < thresholds.podStart
}

/** GitHub must list the runner as free: the EphemeralRunner shows a job only if the listener wrote it. */
function isStarving(state: RunnerState, { fleet, waiting, sets }: LaneView): boolean {
  const { now, thresholds } = fleet
  const since = readySince(state)
  if (state.github.kind !== 'listed' || since === null || now - since < thresholds.starved) return false
  const set = sets.find((one) => setKey(one) === state.setKey)
  return (waiting ?? []).some(
    (job) =>
      job.createdAt !== null && now - job.createdAt >= thresholds.starved && set !== undefined && servesJob(set, job),
  )
}

function countQuotas({ fleet, pods }: LaneView, templates: readonly Template[]): LaneNumbers['quotas'] {
  return fleet.rows('resourcequotas').flatMap((row) => {
    const quota = readQuota(row)
    const own = templates.filter(({ set, spec }) => set.namespace === quota.namespace && countsAgainst(quota, spec))
    const rooms = own.map(({ spec }) => roomIn(quota, spec, fleet.overheads)).filter(({ more }) => more !== null)
    const best = rooms.toSorted((a, b) => (b.more ?? 0) - (a.more ?? 0))[0]
    if (best === undefined) return []
    const held = pods.filter((pod) => pod.namespace === quota.namespace && holdsRoom(pod)).length
    return [{ quota, room: best, held }]
  })
}
