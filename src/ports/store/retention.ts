export type Retention = {
  /**
   * Removes what is older than its age: a finished job with its history, a gone slot unless a job still waits for it.
   * Then the content of the oldest evidence, until the rest is within the bytes; the source stays and says that it is
   * blind because its content expired.
   */
  readonly sweep: (policy: RetentionPolicy, now: number) => Promise<RetentionReport>
}

export type RetentionPolicy = {
  readonly deliveriesMs: number
  readonly finishedJobsMs: number
  readonly deathsMs: number
  readonly ledgerMs: number
  readonly evidenceBytes: number
}

export type RetentionReport = {
  readonly deliveries: number
  readonly jobs: number
  readonly slots: number
  readonly postmortems: number
  readonly notices: number
  readonly evidenceParts: number
  readonly evidenceBytesLeft: number
  readonly ledger: number
}
