import type { AuditLogScope } from '#/core/kubernetes/audit-log-scope.ts'
import type { BlindReason } from '#/core/basics/observed.ts'

/** The audit log of an API server, oldest line first. */
export type AuditLog = {
  /** Whole lines; `blind` is the last event, where the reading broke off. Lines beyond the scope may be left out. */
  readonly lines: (signal: AbortSignal, scope: AuditLogScope) => AsyncIterable<AuditLogEvent>
  /**
   * Of a log that others send to us: since when what they send is taken, null while nothing came. What they had in hand
   * before is sent again some time later. Absent where we read ourselves.
   */
  readonly takenSince?: () => number | null
}

export type AuditLogEvent =
  | { readonly kind: 'line'; readonly text: string }
  /** Comes first, from a source that knows when it was looking. Null: until now. */
  | { readonly kind: 'looking'; readonly from: number; readonly to: number | null }
  | { readonly kind: 'blind'; readonly reason: BlindReason }
