import type { Question } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { ListenerCondition } from '#/core/fleet/listener-state.ts'
import type { JudgedLane } from './judge-lane.ts'
import { judgeLane } from './judge-lane.ts'
import { unservedLabels } from './label-unserved.ts'
import type { LaneScene } from './lane-scene.ts'
import { askedLanes, stageOf } from './lane-scene.ts'
import { laneStates, queueWords } from './lane-state.ts'
import type { Ledger } from './ledger.ts'
import { downListeners, listenerLimit } from './limiter-listener.ts'
import { regression } from './limiter-scratch.ts'
import { limiterRows } from './limiter-table.ts'
import type { Limit } from './limiter.ts'
import { beyondPhysical } from './physical.ts'
import { podAutoscalerFindings } from './pod-autoscalers.ts'
import { pressedPools } from './pressed-pools.ts'

export function examineBurst(fleet: Fleet, question: Question): readonly Finding[] {
  const stage = stageOf(fleet)
  const lanes = askedLanes(fleet, question)
  const judged = lanes.map((lane) => judgeLane(stage, lane))
  return [
    ...judged.flatMap(laneFindings),
    ...lanes.flatMap((lane) => beyondPhysical(stage, lane)),
    ...pressedPools(fleet, judged, stage.slotsOf),
    ...podAutoscalerFindings(fleet, judged),
    ...unservedLabels(fleet, question),
  ]
}

function laneFindings({ scene, ledger, first }: JudgedLane): readonly Finding[] {
  return [
    ...(first === null ? [] : [limitFinding(scene, ledger, first)]),
    ...laneStates(scene, ledger, first),
    ...quietFindings(scene, first),
  ]
}

function limitFinding(scene: LaneScene, ledger: Ledger, limit: Limit): Finding {
  const { lane, waiting } = scene
  return {
    class: limit.class,
    severity: severityOf(limit),
    subject: { kind: 'Lane', name: lane.label },
    evidence: [...limit.evidence, ...queueEvidence(scene)],
    hint: limit.hint,
    fields: {
      firstLimiter: true,
      admits: limit.admits,
      waiting: waiting?.length ?? null,
      ...limit.fields,
      limiters: limiterRows(scene, ledger),
    },
  }
}

function queueEvidence(scene: LaneScene): readonly string[] {
  if (scene.waiting === null) return ["GitHub's queue is unknown"]
  return scene.waiting.length === 0 ? [] : [queueWords(scene)]
}

/** During a rollover a set has no listener for a while: without waiting work this audit ignores it. */
const QUIET: ReadonlySet<ListenerCondition> = new Set(['missing', 'stopped'])

/** Problems of sets that no waiting job needs: sets that cannot serve what waits, or all sets of a lane without waiting work. */
function quietFindings(scene: LaneScene, first: Limit | null): readonly Finding[] {
  const { lane, sets } = scene
  const quiet = first === null ? lane.sets : lane.sets.filter((set) => !sets.includes(set))
  const down = downListeners(scene, quiet).filter(({ state }) => !QUIET.has(state.condition))
  const limits = [listenerLimit(scene, down), first === null ? regression(scene) : null]
  return limits.flatMap((limit) => (limit === null ? [] : [plainFinding(scene, limit)]))
}

function plainFinding({ lane }: LaneScene, limit: Limit): Finding {
  return {
    class: limit.class,
    severity: severityOf(limit),
    subject: { kind: 'Lane', name: lane.label },
    evidence: limit.evidence,
    hint: limit.hint,
    ...(limit.fields === undefined ? {} : { fields: limit.fields }),
  }
}

function severityOf({ class: name }: Limit): Finding['severity'] {
  return name === 'listener-unhealthy' ? 'critical' : 'warning'
}
