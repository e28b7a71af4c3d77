import { isDown } from '#/core/fleet/listener-state.ts'
import type { ListenerState } from '#/core/fleet/listener-state.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import type { RunnerSet } from '#/core/fleet/scale-set.ts'
import type { SetView } from './view.ts'

/** A generation that has more runners than it wants. */
export type Excess = {
  readonly runnerSet: RunnerSet
  readonly live: number
  /** The idle runners above the desired count, oldest first. */
  readonly idle: readonly RunnerState[]
}

/**
 * Each existing generation with idle runners above its `replicas`. Failed ones count as replicas for ARC but give no
 * capacity, so they do not count here.
 */
export function findExcess({ runnerSets, states, listener }: SetView): readonly Excess[] {
  const hasJobs = states.some(({ hasJob }) => hasJob)
  return runnerSets.flatMap((runnerSet) => {
    if (hasJobs && isFollowing(runnerSet, listener)) return []
    const own = states.filter((state) => state.runner.runnerSetName === runnerSet.name && isKept(state))
    const above = own.length - runnerSet.replicas
    const idle = own.filter(({ isIdle }) => isIdle).toSorted(oldestFirst)
    return runnerSet.deletedAt === null && above > 0 && idle.length > 0
      ? [{ runnerSet, live: own.length, idle: idle.slice(0, above) }]
      : []
  })
}

/** ARC removes a runner at GitHub before it deletes the object: one that GitHub does not have any more is trimmed already. */
function isKept({ runner, isLive, github }: RunnerState): boolean {
  return isLive && (runner.runnerId === null || github.kind !== 'absent')
}

/** ARC trims only after a poll in which nothing happened, which sets the patchID to 0. Until then more runners are normal. */
function isFollowing({ patchId }: RunnerSet, listener: ListenerState): boolean {
  return patchId !== null && patchId !== 0 && !isDown(listener)
}

function oldestFirst(a: RunnerState, b: RunnerState): number {
  return (a.runner.createdAt ?? 0) - (b.runner.createdAt ?? 0)
}
