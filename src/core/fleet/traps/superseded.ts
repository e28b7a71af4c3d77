import { numberAt, textAt } from '#/core/basics/fields.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { RunnerSet } from '#/core/fleet/scale-set.ts'
import type { SetView } from './view.ts'

const PREFIX = 'actions.github.com/'

/** Why a runner belongs to a generation that another one replaced; null if it does not, or if that cannot be known. */
export function findSuperseded({ runner, isLive }: RunnerState, { set, runnerSets }: SetView): string | null {
  if (!isLive || set.deletedAt !== null) return null
  const owner = runnerSets.find(({ name }) => name === runner.runnerSetName)
  if (owner === undefined) return null
  const newest = findNewest(runnerSets)
  if (newest !== null && newest !== owner) {
    return `it belongs to ${owner.name}; the newest EphemeralRunnerSet of the set is ${newest.name}`
  }
  return findOldRevision(runner, owner) ?? findOldHash(runner, owner)
}

/** Null if two have the same age: which of them is newer is not known then. */
function findNewest(runnerSets: readonly RunnerSet[]): RunnerSet | null {
  const [first, second] = runnerSets
  if (first === undefined || first.createdAt === null) return null
  return second !== undefined && (second.createdAt === null || second.createdAt === first.createdAt) ? null : first
}

/** From 0.15 on there is one EphemeralRunnerSet, which counts its revisions. */
function findOldRevision({ annotations }: RunnerState['runner'], { raw }: RunnerSet): string | null {
  const own = Number(textAt(annotations, `${PREFIX}actionable-revision`) ?? Number.NaN)
  const applied = numberAt(raw, 'status', 'appliedActionableRevision')
  return applied !== null && own < applied ? `it has revision ${own}; the applied one is ${applied}` : null
}

/** On the development line between 0.14 and 0.15 the hash is all there is. */
function findOldHash({ annotations }: RunnerState['runner'], { annotations: current }: RunnerSet): string | null {
  const own = textAt(annotations, `${PREFIX}integrity-hash`)
  const wanted = textAt(current, `${PREFIX}integrity-hash`)
  return own !== null && wanted !== null && own !== wanted
    ? `its integrity-hash is ${own}; that of its EphemeralRunnerSet is ${wanted}`
    : null
}
