import type { Cap } from '#/core/interlock/plan-removals.ts'
import type { Policy } from '#/core/interlock/policy.ts'

/** What the command line asks for. */
export type ReapQuestion = {
  readonly policies: readonly Policy[]
  readonly sets: readonly string[]
  readonly cap: Cap
  readonly minAgeMs: number
}

/** What `--apply` asks for. */
export type ApplyWish = {
  /** `--yes`. */
  readonly isConfirmed: boolean
  readonly evidence: string | undefined
  readonly intervalMs: number | null
  /** How long a freed set is waited for; null: not at all. */
  readonly waitMs: number | null
}
