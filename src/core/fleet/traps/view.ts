import { controllerVersions } from '#/core/fleet/controller-version.ts'
import type { ControllerVersion } from '#/core/fleet/controller-version.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { FleetJob } from '#/core/fleet/github-facts.ts'
import { isWaiting } from '#/core/fleet/github-facts.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import { hasLabel, servesJob } from '#/core/fleet/lane.ts'
import { listenerStates } from '#/core/fleet/listener-state.ts'
import type { ListenerState } from '#/core/fleet/listener-state.ts'
import { controllerLines } from '#/core/fleet/container-logs.ts'
import type { ArcLine } from '#/core/fleet/container-logs.ts'
import { runnerStates } from '#/core/fleet/runner-state.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { joinSetParts, setKey } from '#/core/fleet/set-parts.ts'
import type { SetParts } from '#/core/fleet/set-parts.ts'
import { lastChanges } from './last-change.ts'
import type { LastChange } from './last-change.ts'
import { outdatedSets } from './outdated.ts'
import type { Outdated } from './outdated.ts'
import { judgeRollover } from './rollover.ts'
import type { Rollover } from './rollover.ts'
import { findSkew } from './version-skew.ts'
import type { Skew } from './version-skew.ts'

/** Which sets a question is about: by name or by label; empty is all. */
export type AskedSets = { readonly scaleSets: readonly string[]; readonly labels: readonly string[] }

/** What is seen of one set. */
export type SetView = SetParts & {
  readonly key: string
  readonly listener: ListenerState
  readonly states: readonly RunnerState[]
  readonly change: LastChange
  readonly rollover: Rollover
  readonly outdated: Outdated | null
  readonly skew: Skew | null
}

/** What the traps of a fleet are found in, computed once. */
export type RuntimeView = {
  readonly fleet: Fleet
  readonly sets: readonly SetView[]
  readonly runners: readonly RunnerState[]
  readonly findSet: (state: RunnerState) => SetView | null
  readonly controllers: readonly ControllerVersion[]
  readonly lines: readonly ArcLine[]
  readonly readyRunners: number
  /** Jobs that a set could take; null if GitHub's queue could not be read. */
  readonly waitingFor: (set: ScaleSet) => readonly FleetJob[] | null
}

export function buildRuntimeView(fleet: Fleet, question: AskedSets): RuntimeView {
  const parts = joinSetParts(fleet)
  const states = runnerStates(fleet)
  const listeners = listenerStates(fleet, parts)
  const findChange = lastChanges(fleet)
  const controllers = controllerVersions(fleet)
  const lines = controllerLines(fleet)
  const outdated = outdatedSets(fleet, parts, lines)
  const isAsked = askedFor(fleet, question)
  const sets = parts.flatMap((own): readonly SetView[] => {
    const key = setKey(own.set)
    const listener = listeners.get(key)
    if (listener === undefined || !isAsked(own.set)) return []
    const ownStates = own.runners.flatMap((runner) => states.get(runner) ?? [])
    const change = findChange(own)
    return [
      {
        ...own,
        key,
        listener,
        states: ownStates,
        change,
        rollover: judgeRollover({ fleet, parts: own, listener, states: ownStates, change }),
        outdated: outdated.get(key) ?? null,
        skew: findSkew(own.set, controllers),
      },
    ]
  })
  const byKey = new Map(sets.map((view) => [view.key, view]))
  const isWhole = question.scaleSets.length === 0 && question.labels.length === 0
  return {
    fleet,
    sets,
    // A runner whose set is gone shows only if the question is about the whole fleet.
    runners: [...states.values()].filter((state) => isWhole || byKey.has(state.setKey)),
    findSet: (state) => byKey.get(state.setKey) ?? null,
    controllers,
    lines,
    readyRunners: fleet.runners.filter(({ ready }) => ready === true).length,
    waitingFor: waitingJobs(fleet),
  }
}

/** Computed once per set, because many runners ask for it. */
function waitingJobs(fleet: Fleet): RuntimeView['waitingFor'] {
  if (!fleet.saw('github/queued-jobs')) return () => null
  const waiting = fleet.jobs.filter(isWaiting)
  const known = new Map<ScaleSet, readonly FleetJob[]>()
  return (set) => {
    const found = known.get(set) ?? waiting.filter((job) => servesJob(set, job))
    known.set(set, found)
    return found
  }
}

/** Includes terminating sets; a label may be that of a declared lane. */
function askedFor({ lanes }: Fleet, { scaleSets, labels }: AskedSets): (set: ScaleSet) => boolean {
  const wanted = new Set(labels.map((label) => label.toLowerCase()))
  const inLanes = new Set(lanes.filter(({ label }) => wanted.has(label.toLowerCase())).flatMap(({ sets }) => sets))
  return (set) =>
    (scaleSets.length === 0 || namesSet(scaleSets, set)) &&
    (labels.length === 0 || inLanes.has(set) || labels.some((label) => hasLabel(set, label)))
}
