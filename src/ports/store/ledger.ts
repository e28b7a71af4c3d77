import type { LedgerAct, LedgerOutcome } from '#/core/ledger/acts.ts'
import type { AttemptEnd, AttemptStep, EndedAttempt, NewAttempt } from '#/core/ledger/attempt.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'

/**
 * Every attempt at a destructive act, permitted or refused, with its proofs: one row each. A row only moves forward, from
 * `planned` by steps to one end, and is never changed after that.
 *
 * A write that names an epoch is `fenced`, and changes nothing, unless the lease of the leader has this epoch now.
 * Names are cut at 500 characters, the words of a proof at 2000.
 */
export type Ledger = {
  /**
   * Plans the attempt, if nobody has the same act on the same subject under way and the cap has room. Both are decided in
   * the transaction that writes the row. What can be done only once is also `taken` after it was done; a row is written
   * unless it is taken. After `StoreUnavailable` the caller begins again: `taken` with its own `run` is its own attempt.
   */
  readonly begin: (attempt: NewAttempt) => Promise<Begun>
  /** Says how far the attempt got. Written before the step is taken: `stale` means that somebody else has it now. */
  readonly advance: (attempt: AttemptHandle, step: AttemptStep) => Promise<Moved>
  readonly end: (attempt: AttemptHandle, end: AttemptEnd) => Promise<Moved>
  /** An attempt that ended before it began (a gate refused), or that somebody else made (break-glass). */
  readonly record: (attempt: EndedAttempt) => Promise<Recorded>
  /** The latest that began comes first. */
  readonly list: (filter: LedgerFilter) => Promise<readonly LedgerRow[]>
}

/** The attempt as it was read: by how many steps it had. */
export type AttemptHandle = Pick<LedgerRow, 'id' | 'steps'>

/** `epoch`: of the lease; null where nobody has ever led. */
export type Fenced = { readonly kind: 'fenced'; readonly epoch: number | null }
export type Begun = { readonly kind: 'planned' | 'refused' | 'taken'; readonly row: LedgerRow } | Fenced
export type Moved =
  | { readonly kind: 'moved'; readonly row: LedgerRow }
  /** As it is now; null if retention removed it. */
  | { readonly kind: 'stale'; readonly row: LedgerRow | null }
  | Fenced
export type Recorded = { readonly kind: 'recorded'; readonly row: LedgerRow } | Fenced

export type LedgerFilter = {
  readonly id?: number
  /** Of the time when it began; `until` itself is left out. */
  readonly since?: number
  readonly until?: number
  readonly act?: LedgerAct
  readonly actor?: string
  readonly outcome?: LedgerOutcome
  /** Of the subject. */
  readonly name?: string
  /** Only what comes after this one in the list. */
  readonly after?: { readonly at: number; readonly id: number }
  readonly limit: number
}
