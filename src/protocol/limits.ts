/** How long the server holds a poll without questions. */
export const POLL_MS = 25_000

export const LIMITS = {
  pollBytes: 64 * 1024,
  /** Limit of the server's answer to a poll. */
  pollAnswerBytes: 4 * 1024 * 1024,
  /** Limit of one answer; journals are cut to fit. */
  answerBytes: 16 * 1024 * 1024,
  journalBytes: 8 * 1024 * 1024,
  logBytes: 1024 * 1024,
  /** Questions in one answer to a poll. */
  questions: 32,
  /** Deaths that one journal is read for. */
  deaths: 500,
  /** Pods in one answer to a poll whose evidence is stored. */
  stored: 500,
  /** Watched pods per node, and their containers in total. */
  watchedPods: 500,
  watchedContainers: 4000,
  /** Containers per pod. */
  containers: 100,
  nameLength: 253,
  /** 2,000 processes with 300 characters each, and some for escapes. */
  processesLength: 1024 * 1024,
} as const
