import type { Question } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { ListenerCondition } from '#/core/fleet/listener-state.ts'
import type { JudgedLane } from './judge-lane.ts'
import { judgeLane } from './judge-lane.ts'
import { unservedLabels } from './label-unserved.ts'
import type { LaneView } from './view.ts'
import { askedLanes, buildBurstView } from './view.ts'
import { laneStates, describeQueue } from './lane-state.ts'
import type { LaneNumbers } from './lane-numbers.ts'
import { downListeners, listenerLimit } from './limiter-listener.ts'
import { regression } from './limiter-scratch.ts'
import { limiterRows } from './limiter-table.ts'
import type { Limit } from './limiter.ts'
import { beyondPhysical } from './physical.ts'
import { podAutoscalerFindings } from './pod-autoscalers.ts'
import { pressedPools } from './pressed-pools.ts'

export function examineBurst(fleet: Fleet, question: Question): readonly Finding[] {
  const burst = buildBurstView(fleet)
  const lanes = askedLanes(fleet, question)
  const judged = lanes.map((lane) => judgeLane(burst, lane))
  return [
    ...judged.flatMap(laneFindings),
    ...lanes.flatMap((lane) => beyondPhysical(burst, lane)),
    ...pressedPools(fleet, judged, burst.countSlots),
    ...podAutoscalerFindings(fleet, judged),
    ...unservedLabels(fleet, question),
  ]
}

function laneFindings({ view, numbers, first }: JudgedLane): readonly Finding[] {
  return [
    ...(first === null ? [] : [limitFinding(view, numbers, first)]),
    ...laneStates(view, numbers, first),
    ...quietFindings(view, first),
  ]
}

function limitFinding(view: LaneView, numbers: LaneNumbers, limit: Limit): Finding {
  const { lane, waiting } = view
  return {
    class: limit.class,
    severity: limitSeverity(limit),
    subject: { kind: 'Lane', name: lane.label },
    evidence: [...limit.evidence, ...queueEvidence(view)],
    hint: limit.hint,
    fields: {
      firstLimiter: true,
      admits: limit.admits,
      waiting: waiting?.length ?? null,
      ...limit.fields,
      limiters: limiterRows(view, numbers),
    },
  }
}

function queueEvidence(view: LaneView): readonly string[] {
  if (view.waiting === null) return ["GitHub's queue is unknown"]
  return view.waiting.length === 0 ? [] : [describeQueue(view)]
}

/** During a rollover a set has no listener for a while: without waiting work this audit ignores it. */
const ROLLOVER_CONDITIONS: ReadonlySet<ListenerCondition> = new Set(['missing', 'stopped'])

/** Problems of sets that no waiting job needs: sets that cannot serve what waits, or all sets of a lane without waiting work. */
function quietFindings(view: LaneView, first: Limit | null): readonly Finding[] {
  const { lane, sets } = view
  const quiet = first === null ? lane.sets : lane.sets.filter((set) => !sets.includes(set))
  const down = downListeners(view, quiet).filter(({ state }) => !ROLLOVER_CONDITIONS.has(state.condition))
  const limits = [listenerLimit(view, down), first === null ? regression(view) : null]
  return limits.flatMap((limit) => (limit === null ? [] : [plainFinding(view, limit)]))
}

function plainFinding({ lane }: LaneView, limit: Limit): Finding {
  return {
    class: limit.class,
    severity: limitSeverity(limit),
    subject: { kind: 'Lane', name: lane.label },
    evidence: limit.evidence,
    hint: limit.hint,
    ...(limit.fields === undefined ? {} : { fields: limit.fields }),
  }
}

function limitSeverity({ class: name }: Limit): Finding['severity'] {
  return name === 'listener-unhealthy' ? 'critical' : 'warning'
}
