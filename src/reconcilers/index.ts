import type { LoopLines } from '#/core/recovery/recovery.ts'
import { deadRunners } from './dead-runners.ts'
import { idleRegistrations } from './idle-registrations.ts'
import { missingPods } from './missing-pods.ts'
import { staleClaims } from './stale-claims.ts'
import { staleQueue } from './stale-queue.ts'
import { unregisteredRunners } from './unregistered-runners.ts'

/** Every loop, in the order in which the page and the command show them. */
export const LOOPS: readonly LoopLines[] = [
  staleClaims,
  unregisteredRunners,
  missingPods,
  staleQueue,
  idleRegistrations,
  deadRunners,
]
