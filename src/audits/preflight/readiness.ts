import { at, textAt } from '#/core/basics/fields.ts'
import { printAge } from '#/core/basics/age.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { isDown } from '#/core/fleet/listener-state.ts'
import type { Listener, ScaleSet } from '#/core/fleet/scale-set.ts'
import { ARC_SOURCES } from '#/audits/runtime/sources.ts'
import { stuckSince } from '#/audits/runtime/stuck-terminating.ts'
import type { StaleReference } from '#/audits/runtime/listener-reference.ts'
import { isFresh } from '#/core/fleet/traps/rollover.ts'
import type { SetView } from '#/core/fleet/traps/view.ts'

export type Readiness = 'ready' | 'in-flight' | 'wedged' | 'unknown'

/** Something that blocks a rollout, and whether it resolves itself. */
export type Obstacle = {
  readonly result: Exclude<Readiness, 'ready'>
  readonly reason: string
  readonly evidence: readonly string[]
}

/** Sources that could not be read; they block. */
export function blindObstacles(fleet: Fleet): readonly Obstacle[] {
  const blind = ARC_SOURCES.map(({ source }) => source).filter((source) => !fleet.saw(source))
  return blind.map((source) => ({ result: 'unknown', reason: 'blind', evidence: [`${source} could not be read`] }))
}

/** Ready means: one generation, a working listener with the declared cap, nothing stuck. Otherwise a rollout would start on top of another. */
export function listObstacles(view: SetView, stale: StaleReference | null, fleet: Fleet): readonly Obstacle[] {
  const unseen = blindObstacles(fleet)
  if (unseen.length > 0) return unseen
  return [
    ...leaving(view, fleet),
    ...rolling(view),
    ...parked(view),
    ...generations(view, fleet),
    ...listening(view),
    ...(stale === null ? [] : [blocked('listener-stale-reference', stale.evidence)]),
    ...asDeclared(view, fleet),
    ...deleting(view, fleet),
  ]
}

/** The worst obstacle decides; unknown blocks like broken. */
export function judgeReadiness(obstacles: readonly Obstacle[]): Readiness {
  const results = new Set(obstacles.map(({ result }) => result))
  if (results.has('wedged')) return 'wedged'
  if (results.has('unknown')) return 'unknown'
  return results.has('in-flight') ? 'in-flight' : 'ready'
}

function blocked(reason: string, evidence: readonly string[]): Obstacle {
  return { result: 'wedged', reason, evidence }
}

function moving(reason: string, evidence: readonly string[]): Obstacle {
  return { result: 'in-flight', reason, evidence }
}

function leaving({ set, states }: SetView, { now, thresholds }: Fleet): readonly Obstacle[] {
  if (set.deletedAt === null) return []
  const evidence = [`the set has been terminating for ${printAge(set.deletedAt, now)}`]
  const isLate = now - set.deletedAt >= thresholds.stuckTerminating && !states.some(({ hasJob }) => hasJob)
  return [isLate ? blocked('stuck-terminating', evidence) : moving('deleting', evidence)]
}

function rolling({ rollover }: SetView): readonly Obstacle[] {
  switch (rollover.kind) {
    case 'none':
      return []
    case 'in-flight':
      return [moving('rollover-in-flight', rollover.evidence)]
    case 'wedged':
      return [blocked('rollover-wedged', rollover.evidence)]
  }
}

function parked({ outdated }: SetView): readonly Obstacle[] {
  return outdated === null ? [] : [blocked('runner-outdated', outdated.evidence)]
}

/** Two generations are reported as a rollover; this covers none. */
function generations({ set, runnerSets, change, rollover, outdated }: SetView, fleet: Fleet): readonly Obstacle[] {
  if (runnerSets.length > 0 || rollover.kind !== 'none' || outdated !== null || set.deletedAt !== null) return []
  const evidence = ['it has no EphemeralRunnerSet']
  const isNew = isFresh(change.at, fleet.thresholds.wedgeSettled, fleet.now)
  return [isNew ? moving('no-runner-set', evidence) : blocked('no-runner-set', evidence)]
}

/** During a rollover, on a terminating set and on a parked set a missing listener is expected. */
function listening({ set, listener, rollover, outdated, states }: SetView): readonly Obstacle[] {
  const { condition, evidence } = listener
  if (condition === 'unknown') return [{ result: 'unknown', reason: 'listener-unknown', evidence }]
  if (set.deletedAt !== null || outdated !== null) return []
  if (condition === 'starting') return [moving('listener-starting', evidence)]
  const isAbsent = condition === 'missing' || condition === 'no-pod'
  if (!isDown(listener) || (isAbsent && rollover.kind !== 'none')) return []
  // Only running jobs distinguish a set that waits from one that is stuck.
  const busy = states.filter(({ hasJob }) => hasJob)
  return isAbsent && busy.length > 0
    ? [moving(`listener-${condition}`, [...evidence, `runners with a job (${busy.length})`])]
    : [blocked(`listener-${condition}`, evidence)]
}

/** Go leaves out a 0, and a maximum that is not there otherwise means none. */
function isQuiesced({ maxRunners }: ScaleSet, { raw }: Listener): boolean {
  return maxRunners === 0 && at(raw, 'spec', 'maxRunners') === undefined
}

/** The listener keeps the cap and the chart values from its creation. */
function asDeclared({ set, listener: { listener }, change }: SetView, fleet: Fleet): readonly Obstacle[] {
  if (listener === null || set.deletedAt !== null) return []
  const values = 'actions.github.com/values-hash'
  const [own, theirs] = [textAt(set.annotations, values), textAt(listener.annotations, values)]
  const evidence = [
    ...(listener.maxRunners === set.maxRunners || isQuiesced(set, listener)
      ? []
      : [`the listener's cap is ${printCap(listener.maxRunners)}, the set declares ${printCap(set.maxRunners)}`]),
    ...(own === null || theirs === null || own === theirs
      ? []
      : ["the listener was created from other values than the set's"]),
  ]
  if (evidence.length === 0) return []
  const isNew = isFresh(change.at, fleet.thresholds.wedgeSettled, fleet.now)
  return [isNew ? moving('listener-not-as-declared', evidence) : blocked('listener-not-as-declared', evidence)]
}

function printCap(cap: number | null): string {
  return cap === null ? 'unlimited' : String(cap)
}

/** A busy runner that was deleted terminates when its job ends. */
function deleting({ states }: SetView, fleet: Fleet): readonly Obstacle[] {
  return states.flatMap((state) => {
    const since = stuckSince(state, fleet)
    if (since === null) return []
    const evidence = [`${state.runner.name} should have been gone ${printAge(since, fleet.now)} ago`]
    return [state.hasJob ? moving('deleting-over-a-job', evidence) : blocked('stuck-terminating', evidence)]
  })
}
