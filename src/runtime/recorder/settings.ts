import { DEFAULT_THRESHOLDS } from '#/core/fleet-file/thresholds.ts'

/** What the capture may take of the machine. Each bound that is met is told where it was met. */
export type RecorderSettings = {
  readonly labelSelector: string
  /** Null: all namespaces. */
  readonly namespaces: readonly string[] | null
  /** A pod that has not started by then is asked what keeps it. */
  readonly startWithinMs: number
  /** Of the log of each runner, while it lives and after its end. */
  readonly logBytes: number
  readonly mostStreams: number
  /** Of all rings together. */
  readonly mostRingBytes: number
  readonly mostEvents: number
  /** Deaths that are worked on at once, and that wait for it. */
  readonly mostAtOnce: number
  readonly mostWaiting: number
  /** Events and the last lines of a log come a moment after the end. */
  readonly settleMs: number
  /** After our own start agents need a moment to call again; a death of that time waits for that of its node. */
  readonly agentsBackMs: number
  /**
   * What an API server could not send while we were away it sends again: its last pause is 34 s and a fifth (10 s × 1.5³).
   * A death of that time waits for it.
   */
  readonly auditLogBackMs: number
  /** Kept in memory while the store is away; beyond it on disk. */
  readonly mostPendingBytes: number
  readonly mostPendingDiskBytes: number
}

export const RECORDER_DEFAULTS: Omit<RecorderSettings, 'labelSelector' | 'namespaces'> = {
  startWithinMs: DEFAULT_THRESHOLDS.podStart,
  logBytes: 256 * 1024,
  mostStreams: 500,
  mostRingBytes: 128 * 1024 * 1024,
  mostEvents: 50_000,
  mostAtOnce: 8,
  mostWaiting: 10_000,
  settleMs: 2000,
  agentsBackMs: 15_000,
  auditLogBackMs: 45_000,
  mostPendingBytes: 64 * 1024 * 1024,
  mostPendingDiskBytes: 1024 * 1024 * 1024,
}
