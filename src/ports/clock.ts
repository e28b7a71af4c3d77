/** Time as everything outside the core gets it, so that tests and the simulator can own it. */
export type Clock = {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Resolves after the time has passed, or at once when the signal aborts. Never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}
