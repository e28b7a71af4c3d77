import type { Observed } from '#/core/basics/observed.ts'
import type { SlotState } from '#/core/dispatch/slot.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { PoolPod } from './pool-pod.ts'

/** Everything that the pool reconciler looks at. Blind in one of the first three: it does nothing. */
export type PoolsWorld = {
  readonly pools: Observed<readonly PoolNow[]>
  /** With their slots, as the store has them. */
  readonly pods: Observed<readonly PodNow[]>
  /** Jobs by scope. */
  readonly queues: Observed<ReadonlyMap<string, PoolQueue>>
  /** Blind where nodes may not be read: then it counts as one node, and none is known to leave. */
  readonly nodes: Observed<readonly NodeNow[]>
  readonly limits: PoolLimits
}

export type PoolNow = {
  readonly scope: string
  /** Null: its spec has mistakes, so nothing is made and nothing idle is removed. */
  readonly spec: RunnerPool | null
  /** What a pod of now is made from; null where that is not known. */
  readonly template: string | null
  readonly isDeleting: boolean
  /** It has our finalizer, so it cannot go before its pods. A pool from a file is always held. */
  readonly isHeld: boolean
  /** It has our finalizer to be removed at the end. */
  readonly hasFinalizer: boolean
  /** Pods that were made and are not seen yet. */
  readonly reserved: number
  readonly starts: StartRecord
  readonly pace: { readonly arrivalsPerSecond: number; readonly startP95Ms: number | null }
  /** The most pods it should have had within its idle time-out; a short lull removes nothing. */
  readonly peak: number
}

/** How the last starts of a pool went. */
export type StartRecord = {
  /** In a row. */
  readonly failures: number
  readonly lastAt: number | null
  readonly why: string | null
}

export const NO_FAILURES: StartRecord = { failures: 0, lastAt: null, why: null }

export type PodNow = PoolPod & {
  /** `absent`: not recorded yet. */
  readonly slot: SlotState | 'absent'
  /** A runner was minted for it; looked at only where it has ended, and how it began is not counted yet. */
  readonly hadRunner: boolean
  /** Its death is stored, with its evidence. */
  readonly isRecorded: boolean
}

export type PoolQueue = {
  readonly dispatchable: number
  readonly withheld: number
  readonly oldestDispatchable: number | null
  readonly oldestWithheld: number | null
}

export const NO_QUEUE: PoolQueue = { dispatchable: 0, withheld: 0, oldestDispatchable: null, oldestWithheld: null }

export type NodeNow = { readonly name: string; readonly isReady: boolean; readonly isLeaving: boolean }

export type PoolLimits = {
  readonly startsPerNode: number
  /** In one round, of all pools. */
  readonly creations: number
  readonly retirements: number
  readonly clearings: number
}

export const RETIRE_REASONS = [
  'pool-deleted',
  'drained',
  'node-leaves',
  'never-started',
  'slot-ended',
  'above-maximum',
  'surplus',
  'former-template',
] as const
export type RetireReason = (typeof RETIRE_REASONS)[number]

export type PoolAction =
  /** Put our finalizer on the pool, so that its pods end before it does. */
  | { readonly kind: 'hold'; readonly scope: string }
  | { readonly kind: 'release'; readonly scope: string }
  | { readonly kind: 'create'; readonly scope: string; readonly count: number }
  /** End the slot from `warm`, then remove the pod. */
  | (PodAction & { readonly kind: 'retire'; readonly reason: RetireReason; readonly why: string })
  /** Remove a pod that has ended and whose death is stored. */
  | (PodAction & { readonly kind: 'clear' })
  /** Take our finalizer from a pod that is being deleted and whose death is stored. */
  | (PodAction & { readonly kind: 'let-go' })

type PodAction = { readonly scope: string; readonly uid: string }

/** What a person is shown about a pool. */
export type PoolPlan = {
  readonly scope: string
  readonly desired: number
  readonly counts: PoolCounts
  readonly queue: PoolQueue
  /** Why it has fewer pods than it should; null where it has them. */
  readonly waits: string | null
  readonly degraded: string | null
}

export type PoolCounts = {
  readonly starting: number
  readonly idle: number
  readonly busy: number
  readonly terminating: number
}

export type PoolsDecision = {
  readonly actions: readonly PoolAction[]
  readonly plans: readonly PoolPlan[]
  /** Why nothing is done. */
  readonly blind: string | null
}
