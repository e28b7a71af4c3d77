import type { Fleet, Runner } from '#/core/fleet/fleet.ts'
import type { Listener, RunnerSet, ScaleSet } from '#/core/fleet/scale-set.ts'

/** A scale set with everything that belongs to it. */
export type SetParts = {
  readonly set: ScaleSet
  /** Newest first; more than one only while one is terminating. */
  readonly listeners: readonly Listener[]
  /** Newest first. */
  readonly runnerSets: readonly RunnerSet[]
  readonly runners: readonly Runner[]
}

export type SetName = { readonly namespace: string; readonly name: string }

export function setKey({ namespace, name }: SetName): string {
  return `${namespace}/${name}`
}

/** Joined once: a search per set would visit all runners for each set. */
export function joinSetParts(fleet: Fleet): readonly SetParts[] {
  const findSetKey = setKeyFinder(fleet)
  const listeners = Map.groupBy(fleet.listeners, ({ setNamespace, setName }) => `${setNamespace}/${setName}`)
  const runnerSets = Map.groupBy(fleet.runnerSets, ({ namespace, setName }) => `${namespace}/${setName}`)
  const runners = Map.groupBy(fleet.runners, findSetKey)
  return fleet.sets.map((set) => ({
    set,
    listeners: (listeners.get(setKey(set)) ?? []).toSorted(newestFirst),
    runnerSets: (runnerSets.get(setKey(set)) ?? []).toSorted(newestFirst),
    runners: runners.get(setKey(set)) ?? [],
  }))
}

/** By ARC's label, else by the EphemeralRunnerSet that owns it. */
export function setKeyFinder(fleet: Fleet): (runner: Runner) => string {
  const owners = new Map(fleet.runnerSets.map((own) => [setKey(own), own.setName]))
  return ({ namespace, setName, runnerSetName }) =>
    `${namespace}/${setName === '' ? (owners.get(`${namespace}/${runnerSetName}`) ?? '') : setName}`
}

function newestFirst(a: { readonly createdAt: number | null }, b: { readonly createdAt: number | null }): number {
  return (b.createdAt ?? 0) - (a.createdAt ?? 0)
}
