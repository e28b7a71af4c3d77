import { DEFAULT_THRESHOLDS } from '#/core/fleet-file/thresholds.ts'

/** Limits of the recorder. Reaching one is logged or stored as the reason why a source is blind. */
export type RecorderSettings = {
  readonly labelSelector: string
  /** More pods that are recorded: those of our own pools. */
  readonly alsoWatched: readonly string[]
  /** Null: all namespaces. */
  readonly namespaces: readonly string[] | null
  /** After this time the rules are asked what keeps a pod from starting. */
  readonly startWithinMs: number
  /** Per runner log, while it is followed and when it is read after the end. */
  readonly logBytes: number
  readonly mostStreams: number
  /** For all followed logs together. */
  readonly mostRingBytes: number
  readonly mostEvents: number
  /** Deaths that are judged at once, and that can wait to be recorded. */
  readonly mostAtOnce: number
  readonly mostWaiting: number
  /** Of stored evidence that is kept in memory for the next step, and of gathered evidence that waits for its judgement. */
  readonly mostHeldBytes: number
  readonly mostGatheredBytes: number
  /** Events and the last log lines arrive a moment after the end. */
  readonly settleMs: number
  /** Agents need a moment to reconnect after our start, and to come back after theirs; a death waits so long for its agent. */
  readonly agentsBackMs: number
  /**
   * The API server resends audit events that it could not deliver while we were down: its last back-off is 34 s plus 20 %
   * (10 s × 1.5³). A death from that time waits for them.
   */
  readonly auditLogBackMs: number
  /** Kept in memory while the store is unavailable; beyond that on disk. */
  readonly mostPendingBytes: number
  readonly mostPendingDiskBytes: number
}

export const RECORDER_DEFAULTS: Omit<RecorderSettings, 'labelSelector' | 'namespaces'> = {
  alsoWatched: [],
  startWithinMs: DEFAULT_THRESHOLDS.podStart,
  logBytes: 256 * 1024,
  mostStreams: 500,
  mostRingBytes: 128 * 1024 * 1024,
  mostEvents: 50_000,
  mostAtOnce: 16,
  mostWaiting: 10_000,
  mostHeldBytes: 64 * 1024 * 1024,
  mostGatheredBytes: 128 * 1024 * 1024,
  settleMs: 2000,
  agentsBackMs: 15_000,
  auditLogBackMs: 45_000,
  mostPendingBytes: 64 * 1024 * 1024,
  mostPendingDiskBytes: 1024 * 1024 * 1024,
}
