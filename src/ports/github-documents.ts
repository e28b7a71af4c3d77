import type { Observed } from '#/core/basics/observed.ts'
import type { Registration, Waiting } from './github-place.ts'

/** What GitHub prints, whole and unchanged, for bundles. Seen, none and blind as in the other reads. */
export type Documents = {
  readonly job: (repository: string, id: number, options?: Waiting) => Promise<Observed<GitHubDocument>>
  /** As it was in that attempt; the latest without one. */
  readonly run: (repository: string, id: number, options?: OfAttempt) => Promise<Observed<GitHubDocument>>
  /** Each in the form in which `job` gives it. */
  readonly jobsOfRun: (
    repository: string,
    run: number,
    options?: OfAttempts,
  ) => Promise<Observed<readonly GitHubDocument[]>>
  readonly annotations: (
    repository: string,
    checkRun: number,
    options?: Waiting,
  ) => Promise<Observed<readonly GitHubDocument[]>>
  readonly runners: (at: Registration, options?: Waiting) => Promise<Observed<readonly GitHubDocument[]>>
  /** Jobs that wait or run. Costs one request for each run that is queued or in progress. */
  readonly unfinishedJobs: (repository: string, options?: Waiting) => Promise<Observed<readonly GitHubDocument[]>>
  readonly rateLimit: (owner: string, options?: Waiting) => Promise<Observed<GitHubDocument>>
}

export type GitHubDocument = Readonly<Record<string, unknown>>

/** A rerun is a new attempt of the same run, with jobs of its own. */
export type OfAttempt = Waiting & { readonly attempt?: number | undefined }
export type OfAttempts = Waiting & { readonly attempt?: number | 'all' | undefined }
