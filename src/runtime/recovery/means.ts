import type { Observed } from '#/core/basics/observed.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import type { LoopId, Recovery } from '#/core/recovery/recovery.ts'
import type { Clock } from '#/ports/clock.ts'
import type { DeregisterMeans } from '#/runtime/act/deregister-runner.ts'
import type { GitHub, Registration } from '#/ports/github.ts'
import type { Log } from '#/ports/log.ts'
import type { OwnPods, Pools } from '#/ports/pools.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { RecoveryMemory } from './memory.ts'
import type { RecoveryMetrics } from './metrics.ts'

export type RecoveryMeans = {
  readonly assignments: Assignments
  readonly ledger: Ledger
  readonly github: {
    readonly jobs: Pick<GitHub['jobs'], 'byId' | 'run'>
    readonly runners: Pick<GitHub['runners'], 'list' | 'byId' | 'byName'>
    readonly access: Pick<GitHub['access'], 'budgets'>
  }
  /** Given to src/runtime/act, which alone removes. */
  readonly acts: DeregisterMeans['github']
  readonly pools: Pick<Pools, 'read'>
  readonly pods: Pick<OwnPods, 'byUid' | 'all'>
  /** Asks the API server itself, by name: the UID of the pod that has the name of the slot's pod now. */
  readonly askPod: (slot: Slot, signal: AbortSignal) => Promise<Observed<string>>
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly metrics: RecoveryMetrics
  readonly mintWithinMs: number
  /** The kill switch of each loop. */
  readonly disabled: ReadonlySet<LoopId>
}

/** What one loop may change in one round, and so what it asks about; the rest waits for the next. */
export const MOST_ACTS = 25

/** One look of one loop. */
export type Look = {
  readonly means: RecoveryMeans
  readonly memory: RecoveryMemory
  readonly now: number
  readonly signal: AbortSignal
}

/** What a loop found, and where GitHub has the runner that may have to go. */
export type Found = { readonly recovery: Recovery; readonly at: Registration | null }

export type LoopRun = {
  readonly id: LoopId
  readonly everyMs: number
  readonly look: (look: Look) => Promise<readonly Found[]>
}
