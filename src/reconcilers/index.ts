import type { LoopId } from '#/core/recovery/recovery.ts'
import { deadRunners } from './dead-runners.ts'
import { idleRegistrations } from './idle-registrations.ts'
import { missingPods } from './missing-pods.ts'
import { staleClaims } from './stale-claims.ts'
import { staleQueue } from './stale-queue.ts'
import { unregisteredRunners } from './unregistered-runners.ts'

/** Every loop, in the order in which the page and the command show them. Each file begins with its four answers. */
export const LOOPS: readonly { readonly id: LoopId }[] = [
  staleClaims,
  unregisteredRunners,
  missingPods,
  staleQueue,
  idleRegistrations,
  deadRunners,
]
