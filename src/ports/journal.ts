import type { Lines } from '#/core/bundle-lines.ts'
import type { Observed } from '#/core/observed.ts'

/** A node's journal: the running one by `journalctl`, or one that a bundle carries. */
export type Journal = {
  readonly read: (query: JournalQuery, signal: AbortSignal) => Promise<Observed<Lines<JournalLine>>>
}

export type JournalQuery = JournalWindow & {
  readonly unit?: string
  /** A boot id, or an offset as `journalctl -b` takes it: 0 is this boot, -1 the one before. */
  readonly boot?: string | number
  readonly kernelOnly?: boolean
  /** A regular expression for the message, as `journalctl --grep` takes it. */
  readonly grep?: string
}

/** Milliseconds since the epoch, both ends inclusive. */
export type JournalWindow = { readonly since?: number; readonly until?: number }

export type JournalLine = {
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number
  /** When journald took it: later than `at` for kernel lines that were printed before journald ran. */
  readonly readAt: number
  readonly monotonicUs: number | null
  readonly bootId: string | null
  readonly host: string | null
  readonly unit: string | null
  readonly identifier: string | null
  readonly pid: number | null
  readonly comm: string | null
  readonly priority: number | null
  readonly transport: string | null
  /** Null where journalctl withheld it: over 4096 bytes or binary, read without `--all`. */
  readonly message: string | null
}
