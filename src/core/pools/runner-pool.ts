import type { Fields } from '#/core/basics/fields.ts'
import type { FairnessRules } from '#/core/dispatch/fairness.ts'

/** What somebody declared: a RunnerPool object, or the same in the configuration. docs/contracts/acting.md */
export type RunnerPool = {
  readonly namespace: string
  readonly name: string
  readonly labels: readonly string[]
  readonly github: PoolRegistration
  readonly size: PoolSize
  readonly fairness: FairnessRules
  readonly rollout: { readonly maxUnavailable: Share }
  /** On SIGTERM: `finish` lets the job end, `report` ends it and reports that. */
  readonly shutdown: Shutdown
  /** A PodTemplateSpec with a container named `runner`. */
  readonly template: Fields
}

export const SCOPES = ['repository', 'organization'] as const
export const SHUTDOWNS = ['finish', 'report'] as const
export type Shutdown = (typeof SHUTDOWNS)[number]

export type PoolRegistration = {
  /** Under `organization` GitHub gives a runner any fitting job of the organisation; under `repository` we decide. */
  readonly scope: (typeof SCOPES)[number]
  readonly owner: string
  /** Names without the owner; empty under `organization`. */
  readonly repositories: readonly string[]
  readonly runnerGroup: string | null
  /** The name of the credential that registers runners. */
  readonly credential: string
}

export type PoolSize = {
  /** Idle pods that are always there. */
  readonly warm: number
  /** Of all pods. */
  readonly max: number
  readonly startTimeoutMs: number
  readonly idleTimeoutMs: number
}

export type Share = { readonly kind: 'count' | 'percent'; readonly value: number }
