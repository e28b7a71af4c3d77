import type { Changes, Involved, Involvement } from '#/core/dispatch/assignment.ts'
import type { Claim } from '#/core/dispatch/claims.ts'
import type { Choose } from '#/core/dispatch/fairness.ts'
import type { Job, JobEvent, JobState } from '#/core/dispatch/job.ts'
import type { Slot, SlotState } from '#/core/dispatch/slot.ts'

export type Assignments = {
  readonly involved: (key: Involvement) => Promise<Involved>
  /** All of the changes with one history row each, or none of them. */
  readonly commit: (changes: Changes) => Promise<'committed' | 'stale'>
  /**
   * Takes the lock of the scope, loads a bounded set of candidates, lets `choose` pair them purely, writes all pairs in
   * one statement. Pairs that the transition tables refuse are left out. Answers the claims in the order of the pairs.
   */
  readonly match: (request: MatchRequest, choose: Choose) => Promise<readonly Claim[]>
  readonly job: (id: number) => Promise<Job | null>
  readonly slot: (uid: string) => Promise<Slot | null>
  /** The job that was queued first comes first; with `latest`, the one that was queued last. */
  readonly jobs: (filter: {
    readonly states?: readonly JobState[]
    readonly scope?: string
    readonly repository?: string
    readonly latest?: true
    readonly limit: number
  }) => Promise<readonly Job[]>
  /** The slot that appeared first comes first. */
  readonly slots: (filter: {
    readonly states?: readonly SlotState[]
    readonly scope?: string
    readonly limit: number
  }) => Promise<readonly Slot[]>
  readonly history: (job: number) => Promise<readonly JobHistoryRow[]>
}

export type MatchRequest = {
  readonly scope: string
  /** The slots that wait at this replica. Those that are not warm any more are left out. */
  readonly waiting: readonly string[]
  /**
   * The most jobs to choose from. They are taken in turns, the oldest of each repository, then the second oldest of each,
   * so that a repository with a long queue or a full cap hides no other.
   */
  readonly jobLimit: number
  readonly at: number
}

export type JobHistoryRow = {
  readonly job: number
  readonly generation: number
  readonly event: JobEvent
  readonly from: JobState | null
  readonly to: JobState
  readonly at: number
}
