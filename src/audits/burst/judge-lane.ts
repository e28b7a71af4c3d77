import type { Lane } from '#/core/fleet/lane.ts'
import type { LaneView, BurstView } from './view.ts'
import { buildLaneView } from './view.ts'
import type { LaneNumbers } from './lane-numbers.ts'
import { countLane } from './lane-numbers.ts'
import { crashLoop } from './limiter-crash-loop.ts'
import { imagePull } from './limiter-image-pull.ts'
import { listener } from './limiter-listener.ts'
import { declaredMaximum } from './limiter-maximum.ts'
import { quota } from './limiter-quota.ts'
import { scratchVolume } from './limiter-scratch.ts'
import { scheduler } from './limiter-scheduler.ts'
import { podSlots } from './limiter-slots.ts'
import type { Limit, Limiter } from './limiter.ts'

/** In the order of docs/contracts/findings.md: each is checked only if none before it applies. */
const LIMITERS: readonly Limiter[] = [
  listener,
  imagePull,
  crashLoop,
  quota,
  scheduler,
  podSlots,
  scratchVolume,
  declaredMaximum,
]

export type JudgedLane = {
  readonly view: LaneView
  readonly numbers: LaneNumbers
  readonly first: Limit | null
}

export function judgeLane(burst: BurstView, lane: Lane): JudgedLane {
  const view = buildLaneView(burst, lane)
  const numbers = countLane(view)
  const found = findFirstLimit(view, numbers)
  return { view, numbers, first: found !== null && hasWaitingWork(view, numbers, found) ? found : null }
}

function findFirstLimit(view: LaneView, numbers: LaneNumbers): Limit | null {
  for (const limiter of LIMITERS) {
    const limit = limiter(view, numbers)
    if (limit !== null) return limit
  }
  return null
}

/** Work waits when a job is queued, or when a runner was created and cannot start; the second shows even with GitHub's queue blind. */
function hasWaitingWork({ waiting, runners }: LaneView, numbers: LaneNumbers, limit: Limit): boolean {
  if ((waiting?.length ?? 0) > 0) return true
  switch (limit.class) {
    case 'listener-unhealthy':
      return (
        waiting === null && runners.some(({ isLive, runner, hasJob }) => isLive && !hasJob && runner.ready !== true)
      )
    case 'missing-scratch-volume':
      return (
        numbers.unschedulable.length > 0 ||
        runners.some(({ isLive, hasJob, runner }) => isLive && !hasJob && runner.ready !== true)
      )
    default:
      return true
  }
}
