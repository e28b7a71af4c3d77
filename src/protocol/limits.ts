/** Held by the server for so long when there is nothing to ask. */
export const POLL_MS = 25_000

export const LIMITS = {
  pollBytes: 64 * 1024,
  /** The server's answer to a poll. */
  pollAnswerBytes: 4 * 1024 * 1024,
  /** One answer: a journal is cut before it. */
  answerBytes: 16 * 1024 * 1024,
  journalBytes: 8 * 1024 * 1024,
  logBytes: 1024 * 1024,
  /** Pods of one node whose files are kept at hand, and containers of all of them. */
  watchedPods: 500,
  watchedContainers: 4000,
  /** Of one pod. */
  containers: 100,
  nameLength: 253,
} as const
