import type { Fleet } from '#/core/fleet/fleet.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'

export function isNeverRegistered({ runner, isDeleting }: RunnerState, { now, thresholds }: Fleet): boolean {
  const { runnerId, createdAt } = runner
  return runnerId === null && !isDeleting && createdAt !== null && now - createdAt >= thresholds.neverRegistered
}
