import { numberAt } from '#/core/basics/fields.ts'
import { printAge } from '#/core/basics/age.ts'
import { hasPhase } from '#/core/fleet/arc-version.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { isNotBusy } from '#/core/fleet/github-status.ts'
import type { ListenerState } from '#/core/fleet/listener-state.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { SetParts } from '#/core/fleet/set-parts.ts'
import type { LastChange } from './last-change.ts'

export type Rollover =
  | { readonly kind: 'none' }
  | { readonly kind: 'in-flight'; readonly evidence: readonly string[] }
  | {
      readonly kind: 'wedged'
      readonly evidence: readonly string[]
      /** Runners without a job that block the rollover. */
      readonly blockers: readonly RunnerState[]
      /** GitHub says that none of them is busy. */
      readonly isConfirmed: boolean
    }

export type RolloverView = {
  readonly fleet: Fleet
  readonly parts: SetParts
  readonly listener: ListenerState
  readonly states: readonly RunnerState[]
  readonly change: LastChange
}

const NEEDED = ['autoscalinglisteners', 'ephemeralrunnersets', 'ephemeralrunners'].map((one) => `kubernetes/${one}`)

/** A healthy rollover and a wedged one look alike; only jobs and time distinguish them. */
export function judgeRollover(view: RolloverView): Rollover {
  const { fleet, parts, listener } = view
  if (parts.set.deletedAt !== null || isParked(parts) || !NEEDED.every((source) => fleet.saw(source))) {
    return { kind: 'none' }
  }
  const unsettled = listUnsettled(parts)
  if (listener.listener === null) return withoutListener(view, unsettled)
  return unsettled.length === 0 || hasStalled(view) ? { kind: 'none' } : flying(unsettled)
}

function withoutListener(view: RolloverView, unsettled: readonly string[]): Rollover {
  const { fleet, parts, states, change } = view
  // Up to 0.13 nothing in the set shows that it changes: no listener over live runners is the sign.
  const isHidden = !hasPhase(parts.set.generation) && states.some(({ isLive, hasJob }) => isLive || hasJob)
  if (unsettled.length > 0 || isHidden) return waiting(view, unsettled)
  return isFresh(change.listenerAt, fleet.thresholds.listenerPodMissing, fleet.now)
    ? flying([`its listener last appeared in events or logs ${printAge(change.listenerAt, fleet.now)} ago`])
    : { kind: 'none' }
}

/** A listener without a pod, no job, and no recent change: the controller is not working. */
function hasStalled({ fleet, listener, states, change }: RolloverView): boolean {
  const isWaiting = states.some(({ hasJob }) => hasJob) || isFresh(change.at, fleet.thresholds.wedgeSettled, fleet.now)
  return listener.condition === 'no-pod' && !isWaiting
}

function flying(evidence: readonly string[]): Rollover {
  return { kind: 'in-flight', evidence }
}

/** Waits for jobs, or forever. */
function waiting(view: RolloverView, unsettled: readonly string[]): Rollover {
  const { fleet, parts, listener, states, change } = view
  const { now, thresholds } = fleet
  const signs = [...listener.evidence, ...unsettled]
  const busy = states.filter(({ hasJob }) => hasJob)
  if (busy.length > 0) return flying([...signs, `runners with a job (${busy.length}): ${names(busy)}`])
  if (isFresh(change.at, thresholds.wedgeSettled, now)) {
    return flying([...signs, `something of the set changed ${printAge(change.at, now)} ago`])
  }
  const live = states.filter(({ isLive }) => isLive)
  if (live.length === 0) return parts.runnerSets.length > 1 ? flying(signs) : { kind: 'none' }
  return {
    kind: 'wedged',
    evidence: [
      ...signs,
      `remaining runners (${live.length}), none with a job: ${names(live)}`,
      `nothing of the set was created or changed for ${printAge(change.at, now)}`,
    ],
    blockers: live,
    isConfirmed: live.every(({ github }) => isNotBusy(github)),
  }
}

/** Signs that the set is changing; empty if it is settled. The counts in its status are not used. */
function listUnsettled({ set, runnerSets }: SetParts): readonly string[] {
  const generation = numberAt(set.raw, 'metadata', 'generation')
  const observed = numberAt(set.raw, 'status', 'observedGeneration')
  const going = runnerSets.filter(({ deletedAt }) => deletedAt !== null)
  return [
    ...(hasPhase(set.generation) && set.phase !== 'Running' ? [`the set's phase is ${set.phase ?? 'absent'}`] : []),
    ...(observed !== null && generation !== null && observed < generation
      ? [`the controller has seen generation ${observed} of ${generation}`]
      : []),
    ...(runnerSets.length > 1
      ? [
          `${runnerSets.length} EphemeralRunnerSets: ${runnerSets.map(({ name }) => name).join(', ')}${going.length === 0 ? '' : ` (terminating: ${going.map(({ name }) => name).join(', ')})`}`,
        ]
      : []),
    ...runnerSets.flatMap(describeRevision),
  ]
}

/** From 0.15 on a runner set counts its revisions. */
function describeRevision({ name, raw }: SetParts['runnerSets'][number]): readonly string[] {
  const wanted = numberAt(raw, 'spec', 'actionableRevision')
  const applied = numberAt(raw, 'status', 'appliedActionableRevision')
  return wanted !== null && applied !== null && applied < wanted
    ? [`EphemeralRunnerSet ${name} has applied revision ${applied} of ${wanted}`]
    : []
}

/** GitHub refused its runners and ARC switched it off: not a rollover. */
export function isParked({ set, runnerSets }: SetParts): boolean {
  return set.phase === 'Outdated' || runnerSets.some(({ phase }) => phase === 'Outdated')
}

export function isFresh(time: number | null, limit: number, now: number): boolean {
  return time !== null && now - time <= limit
}

export function names(states: readonly RunnerState[]): string {
  const shown = states.slice(0, 10).map(({ runner }) => runner.name)
  return states.length > shown.length
    ? `${shown.join(', ')} and ${states.length - shown.length} more`
    : shown.join(', ')
}
