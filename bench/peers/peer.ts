/** How many slots wait, and so how many jobs one claim asks for. */
export const BATCH = 500

/** A queue that can be filled with jobs and emptied by claims. Only the claims are timed. */
export type Peer = {
  readonly name: string
  readonly prepare: (connectionString: string, jobs: number) => Promise<Prepared>
}
export type Prepared = {
  /** Claims every job, in batches, and answers how many were given. */
  readonly claimAll: () => Promise<number>
  readonly close: () => Promise<void>
}
