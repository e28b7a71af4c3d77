import type { Lines } from '#/core/evidence/bundle-lines.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Stream } from '#/core/evidence/signature.ts'

/** A node's journal: the running one by `journalctl`, or one that a bundle carries. */
export type Journal = {
  readonly read: (query: JournalQuery, signal: AbortSignal) => Promise<Observed<JournalReading>>
}

export type JournalQuery = JournalWindow & {
  readonly unit?: string
  /** A boot id, or an offset as `journalctl -b` takes it: 0 is this boot, -1 the one before. */
  readonly boot?: string | number
  readonly kernelOnly?: boolean
  /** A regular expression for the message, as `journalctl --grep` takes it. */
  readonly grep?: string
}

/** Whose lines a journal holds: the streams that are worth a mention in it. */
export const JOURNAL_STREAMS: readonly Stream[] = ['kernel', 'guest-kernel', 'kubelet', 'containerd', 'systemd', 'vmm']

export type JournalWindow = {
  /** Milliseconds since the epoch, both ends inclusive. */
  readonly since?: number
  readonly until?: number
  /**
   * Only lines whose message has one of these in it, capitals or not, and those whose message was withheld, because nobody
   * knows what they say. The others are counted in the digest and never built, which makes a large journal cheap.
   */
  readonly mentions?: readonly string[]
}

/** `none` is said of a journal without a line in the window, not of one without a line that mentions what was asked for. */
export type JournalReading = Lines<JournalLine> & { readonly digest: JournalDigest }

/** What all lines of the window say together, whatever they mention. */
export type JournalDigest = {
  /** Lines of the window, kept or not. */
  readonly lines: number
  /** When the first and the last of them happened; null where there is none. */
  readonly from: number | null
  readonly to: number | null
  /** In the order in which the journal first names them. Empty where it names none, as text does before its first reboot. */
  readonly boots: readonly JournalBoot[]
}

export type JournalBoot = { readonly id: string; readonly from: number; readonly to: number }

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
