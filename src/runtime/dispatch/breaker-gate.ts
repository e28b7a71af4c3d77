/**
 * The breakers as dispatch asks them. A breaker stops what keeps failing, so that a job goes to somebody who can run it, or
 * waits in the queue, and is not claimed and returned for ever.
 */
export type BreakerGate = {
  /** Null where it is closed, or where one attempt may now show whether it can close. */
  readonly isOpen: (key: string) => Promise<OpenBreaker | null>
  /** All that are not closed now. A round of matching asks once, and leaves out the jobs that could not be served. */
  readonly open: () => Promise<readonly OpenBreaker[]>
  /** `until`: the other side said when it will take the next request. */
  readonly failed: (key: string, why: string, until?: number) => Promise<void>
  readonly succeeded: (key: string) => Promise<void>
}

export type OpenBreaker = {
  readonly key: string
  readonly why: string
  readonly until: number
  /** One attempt may now show whether it can close: a round of matching serves one job of it, and not all that wait. */
  readonly mayTry?: true
}

/** The keys, also as the store has them. GitHub's names ignore case. */
export const breakerKey = {
  credential: (name: string): string => `credential/${name}`,
  owner: (owner: string): string => `owner/${owner.toLowerCase()}`,
  /** `OWNER/REPOSITORY` */
  repository: (repository: string): string => `repository/${repository.toLowerCase()}`,
  node: (name: string): string => `node/${name}`,
}
