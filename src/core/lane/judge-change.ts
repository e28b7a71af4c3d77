import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { ArcGeneration } from '#/core/fleet/arc-version.ts'
import type { Controller } from '#/core/fleet/controller.ts'
import type { Listener, RunnerRecord, RunnerSet, ScaleSet } from '#/core/fleet/scale-set.ts'
import type { GateProof } from '#/core/ledger/ledger-row.ts'

/** A scale set with all that ARC made of it, as it was read at once. */
export type LaneFacts = {
  readonly set: ScaleSet
  readonly runnerSets: Observed<readonly RunnerSet[]>
  readonly runners: Observed<readonly RunnerRecord[]>
  readonly listeners: Observed<readonly Listener[]>
  readonly controllers: Observed<readonly Controller[]>
}

/** What must hold before the bounds of a set are changed. In order: the first that does not hold decides. */
export function judgeChange(facts: LaneFacts): readonly GateProof[] {
  return [noRollover(facts), updateStrategy(facts)]
}

type Verdict = readonly [holds: boolean | null, why: string]

function toProof(gate: string, [holds, why]: Verdict): GateProof {
  return { gate, holds, why, ageSeconds: 0 }
}

/** A second change on top of one that is under way makes a wedge worse, and nobody could say which one had an effect. */
function noRollover({ set, runnerSets, listeners }: LaneFacts): GateProof {
  return toProof('no-rollover', judgeRollover(set, runnerSets, listeners))
}

function judgeRollover(
  { deletedAt, phase, hasStatus, scaleSetId }: ScaleSet,
  runnerSets: LaneFacts['runnerSets'],
  listeners: LaneFacts['listeners'],
): Verdict {
  if (deletedAt !== null) return [false, 'the set is being deleted']
  if (phase === 'Pending' || phase === 'Outdated') {
    return [false, `the set is ${phase}: ARC has not finished another change`]
  }
  if (!hasStatus && scaleSetId === null) return [false, 'no controller of ARC has taken up this set yet']
  const parts = [
    countLive(listeners, 'listener', 'ARC has not finished another change, or the set is wedged'),
    countLive(runnerSets, 'EphemeralRunnerSet', 'ARC has not finished another change'),
  ]
  return (
    parts.find(([holds]) => holds !== true) ?? [
      true,
      `one listener, one EphemeralRunnerSet${phase === null ? '' : `, phase ${phase}`}`,
    ]
  )
}

function countLive(
  observed: Observed<readonly { readonly deletedAt: number | null }[]>,
  what: string,
  meaning: string,
): Verdict {
  if (observed.kind === 'blind') return [null, `its ${what}s could not be read: ${describeReason(observed.reason)}`]
  const live = observed.kind === 'none' ? 0 : observed.value.filter(({ deletedAt }) => deletedAt === null).length
  return live === 1
    ? [true, '']
    : [false, `it has ${live === 0 ? 'no' : live} ${what}${live === 0 ? '' : 's'}: ${meaning}`]
}

/** Generations that have the flag `--update-strategy`, and delete the listener for every change of the spec. */
const HAS_STRATEGY: ReadonlySet<ArcGeneration> = new Set(['upTo0.12', '0.13', '0.14'])

const WEDGES =
  'ARC would delete the listener and make a new one only when no runner is left, and idle runners never go: the set would be wedged (actions-runner-controller#4432)'

/**
 * In no version do the bounds belong to the hash of the runners, so the EphemeralRunnerSet and its runners stay. The listener is
 * replaced; under `eventual` that waits for the last runner.
 */
function updateStrategy({ set, runners, controllers }: LaneFacts): GateProof {
  return toProof('update-strategy', judgeStrategy(set, runners, controllers))
}

function judgeStrategy(
  { generation, namespace }: ScaleSet,
  runners: LaneFacts['runners'],
  controllers: LaneFacts['controllers'],
): Verdict {
  if (generation === 'head') return [true, 'this version replaces the listener within seconds and keeps the runners']
  if (!HAS_STRATEGY.has(generation))
    return [true, 'this version has no update strategy; the listener proves the effect']
  if (runners.kind === 'none') return [true, 'the set has no runners, so ARC replaces the listener at once']
  const serving =
    controllers.kind === 'seen'
      ? controllers.value.filter(({ watchedNamespace }) => watchedNamespace === null || watchedNamespace === namespace)
      : []
  if (serving.length === 0) {
    const why = controllers.kind === 'blind' ? describeReason(controllers.reason) : 'there is no Deployment of it'
    return [null, `the update strategy of ARC's controller could not be read: ${why}`]
  }
  if (serving.every(({ updateStrategy: strategy }) => strategy !== 'eventual')) {
    return [true, "the controller's update strategy is immediate: ARC replaces the listener and keeps the runners"]
  }
  if (runners.kind === 'blind')
    return [null, `the strategy is eventual, and the runners could not be read: ${describeReason(runners.reason)}`]
  return [false, `the controller runs with --update-strategy=eventual over ${runners.value.length} runners: ${WEDGES}`]
}
