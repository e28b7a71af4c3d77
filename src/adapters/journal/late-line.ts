/** The clocks of one line, in microseconds, as journald wrote them down. */
export type LineClocks = {
  /** When journald took the line. */
  readonly realtimeUs: number
  readonly monotonicUs: number | null
  /** When its author says that it happened. */
  readonly sourceMonotonicUs: number | null
  readonly sourceRealtimeUs: number | null
}

/** A line is late where journald took it this long after it happened: it started after the kernel, or it hung. */
const LATE_US = 5_000_000

/** Milliseconds since the epoch. Both clocks of one boot, so the difference holds whatever the wall clock did in between. */
export function happenedAt({ realtimeUs, monotonicUs, sourceMonotonicUs, sourceRealtimeUs }: LineClocks): number {
  const late =
    monotonicUs !== null && sourceMonotonicUs !== null
      ? monotonicUs - sourceMonotonicUs
      : realtimeUs - (sourceRealtimeUs ?? realtimeUs)
  return toMs(late > LATE_US ? realtimeUs - late : realtimeUs)
}

export function toMs(us: number): number {
  return Math.floor(us / 1000)
}
