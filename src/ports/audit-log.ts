import type { BlindReason } from '#/core/observed.ts'

/** The audit log of an API server, oldest line first. */
export type AuditLog = {
  /** Whole lines; `blind` is the last event, where the reading broke off. */
  readonly lines: (signal: AbortSignal) => AsyncIterable<AuditLogEvent>
}

export type AuditLogEvent =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'blind'; readonly reason: BlindReason }
