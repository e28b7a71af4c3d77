import type { RuntimeView } from '#/core/fleet/traps/view.ts'
import type { ActCandidate } from '#/ports/act-candidate.ts'

/**
 * Why an act on a wedged set is no longer what was proposed. Its gates are about the proposed runners, but scaling takes every
 * runner of the set. Null if it is, and for an act on one runner.
 */
export function findOutgrown({ subject, scaleSet, runners }: ActCandidate, { sets }: RuntimeView): string | null {
  if (subject.kind !== 'AutoscalingRunnerSet') return null
  const own = sets.find(({ key }) => key === scaleSet)
  if (own === undefined || own.set.uid !== subject.uid) return 'its set is gone'
  const listener = own.listeners.find(({ deletedAt }) => deletedAt === null)
  if (listener !== undefined) return `its set is no longer wedged: AutoscalingListener ${listener.name}`
  const checked = new Set(runners.map(({ identity }) => identity.uid))
  const more = own.states.find(({ isLive, runner }) => isLive && !checked.has(runner.uid))
  return more === undefined ? null : `its set has a runner that was not proposed: ${more.runner.name}`
}
