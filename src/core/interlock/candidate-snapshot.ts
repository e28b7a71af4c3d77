import type { FindingSubject } from '#/core/audit/finding.ts'
import type { ListenerCondition } from '#/core/fleet/listener-state.ts'
import type { ContainerFacts } from '#/core/kubernetes/pod-facts.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Reading } from './reading.ts'

/**
 * Everything that a gate may look at, for one runner or pod that an act would remove. Facts, not conclusions: each was seen,
 * is provably not there (`none`), or could not be observed.
 */
export type CandidateSnapshot = {
  readonly subject: FindingSubject
  readonly now: number
  readonly terms: GateTerms
  /** The object as it was when it was proposed. */
  readonly proposed: Identity
  /** The object now; `none` if it is gone. */
  readonly object: Reading<ObjectNow>
  readonly record: Reading<JobRecord>
  /** GitHub's row of the runner; `none` if a complete list does not have it. */
  readonly github: Reading<GitHubRow>
  /** An unfinished job at GitHub that names the runner. */
  readonly githubJob: Reading<{ readonly id: number | null; readonly status: string | null }>
  /** GitHub's answer to the removal of the runner; `none` if it has no such runner. */
  readonly deregistration: Reading<{ readonly isAccepted: boolean; readonly answer: string }>
  /** `none` if there is no pod. */
  readonly pod: Reading<PodSigns>
  /** The command lines in the runner container. */
  readonly processes: Reading<readonly string[]>
  /** The line of the runner's log about the job that it runs; `none` if its log shows none. */
  readonly log: Reading<string>
  /** What the runner's own vitals line counted. */
  readonly vitals: Reading<RunnerProcesses>
  readonly createdAt: Reading<number>
  /** Of its set. */
  readonly listener: Reading<ListenerSeen>
  /** Every list that something was concluded from. */
  readonly lists: readonly ListReading[]
  readonly room: Reading<Room>
  /** The stored evidence: its id, or the file. */
  readonly evidence: Reading<string>
}

export type GateTerms = {
  /** What GitHub must say: `gone` is offline and not busy, or not listed; `not-busy` may be online. */
  readonly github: 'gone' | 'not-busy'
  readonly minAgeMs: number
  /** How old a list of GitHub or of processes may be. */
  readonly freshMs: number
}

export type Identity = {
  readonly uid: string | null
  readonly generation: number | null
  /** Kind and name. */
  readonly owner: string | null
}

export type ObjectNow = Identity & {
  readonly isDeleting: boolean
  /** Why the act is no longer what was proposed, although the object is: its set has a listener again, or more runners. */
  readonly outgrown?: string
}

export type JobRecord = {
  /** The job on the object, in words. */
  readonly job: string | null
  readonly slot: string | null
  /** A label or an annotation of ours. */
  readonly mark: string | null
}

export type GitHubRow = { readonly id: number | null; readonly isOnline: boolean; readonly isBusy: boolean }

export type PodSigns = {
  readonly phase: string | null
  readonly node: string | null
  readonly containers: readonly ContainerFacts[]
  /** Pods that run for its job (kubernetes mode of ARC). */
  readonly jobPods: readonly string[]
}

/** Of GitHub's runner: `Runner.Listener` waits for jobs, `Runner.Worker` executes one. */
export type RunnerProcesses = { readonly listeners: number; readonly workers: number }

export type ListenerSeen = {
  readonly condition: ListenerCondition
  readonly isDown: boolean
  readonly evidence: string
}

export type ListReading = {
  readonly source: string
  readonly rows: Observed<number>
  readonly at: number
  /** Why it cannot be empty; null if it can. */
  readonly notEmpty: string | null
}

/** Places that the cap leaves, for this run and for the set. */
export type Room = { readonly needs: number; readonly run: Places; readonly set: Places }
export type Places = { readonly used: number; readonly most: number }
