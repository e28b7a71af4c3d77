import type { Notice } from '#/core/notify/notice.ts'

/** Sends a notification to a person or a program. Failures of the other side are results, not exceptions. */
export type Notifier = {
  readonly send: (notice: Notice, signal: AbortSignal) => Promise<Sending>
  /** Notices that fail for the same reason wait together; those of another lane go on. One lane for all without it. */
  readonly lane?: (notice: Notice) => string
}

export type Sending =
  | { readonly kind: 'sent' }
  /** Worth another try, not before the time that the other side asked for. */
  | { readonly kind: 'later'; readonly why: string; readonly notBefore: number | null }
  /** Nothing gets through until a person fixes something. */
  | { readonly kind: 'paused'; readonly why: string }
  /** This one will never be taken. */
  | { readonly kind: 'refused'; readonly why: string }
