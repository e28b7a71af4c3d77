import type { Lane } from '#/core/fleet/lane.ts'
import type { LaneScene, Stage } from './lane-scene.ts'
import { sceneOf } from './lane-scene.ts'
import type { Ledger } from './ledger.ts'
import { ledgerOf } from './ledger.ts'
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
  readonly scene: LaneScene
  readonly ledger: Ledger
  readonly first: Limit | null
}

export function judgeLane(stage: Stage, lane: Lane): JudgedLane {
  const scene = sceneOf(stage, lane)
  const ledger = ledgerOf(scene)
  const found = firstOf(scene, ledger)
  return { scene, ledger, first: found !== null && waits(scene, ledger, found) ? found : null }
}

function firstOf(scene: LaneScene, ledger: Ledger): Limit | null {
  for (const limiter of LIMITERS) {
    const limit = limiter(scene, ledger)
    if (limit !== null) return limit
  }
  return null
}

/** Work waits when a job is queued, or when a runner was created and cannot start; the second shows even with GitHub's queue blind. */
function waits({ waiting, runners }: LaneScene, ledger: Ledger, limit: Limit): boolean {
  if ((waiting?.length ?? 0) > 0) return true
  switch (limit.class) {
    case 'listener-unhealthy':
      return (
        waiting === null && runners.some(({ isLive, runner, hasJob }) => isLive && !hasJob && runner.ready !== true)
      )
    case 'missing-scratch-volume':
      return (
        ledger.unschedulable.length > 0 ||
        runners.some(({ isLive, hasJob, runner }) => isLive && !hasJob && runner.ready !== true)
      )
    default:
      return true
  }
}
