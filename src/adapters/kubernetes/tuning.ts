/** Limits and intervals of the adapter; the defaults are for production. */
export type Tuning = {
  readonly requestTimeoutMs: number
  readonly pageSize: number
  readonly maxItems: number
  /** A server whose pages are empty must not keep us for ever. */
  readonly maxPages: number
  readonly maxAnswerBytes: number
  readonly maxEventBytes: number
  readonly maxLogLineBytes: number
  /**
   * How long one watch lasts before the server ends it and we go on from there. Shorter than the silence that is allowed:
   * for some kinds (events) the server sends no bookmarks, and this end is all that one hears from a quiet watch.
   */
  readonly watchSeconds: number
  /** Bookmarks come about once a minute, so two have to be missing. */
  readonly silentAfterMs: number
  /** A log may be silent for hours, and so may a dead connection; it is opened again from its last line. */
  readonly reopenQuietLogMs: number
  readonly backoffFirstMs: number
  readonly backoffMostMs: number
  /** A longer `Retry-After` is not waited for within a read. */
  readonly retryAfterMostMs: number
}

export const DEFAULT_TUNING: Tuning = {
  requestTimeoutMs: 30_000,
  pageSize: 500,
  maxItems: 250_000,
  maxPages: 10_000,
  maxAnswerBytes: 64 * 1024 * 1024,
  maxEventBytes: 8 * 1024 * 1024,
  maxLogLineBytes: 64 * 1024,
  watchSeconds: 120,
  silentAfterMs: 150_000,
  reopenQuietLogMs: 300_000,
  backoffFirstMs: 500,
  backoffMostMs: 30_000,
  retryAfterMostMs: 5000,
}
