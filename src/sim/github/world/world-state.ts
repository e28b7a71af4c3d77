/** What is true at the simulated GitHub. Rows are replaced, never changed in place. */

export type Account = { readonly id: number; readonly login: string; readonly type: 'Organization' | 'User' }

export type Repository = {
  readonly id: number
  readonly owner: Account
  readonly name: string
  readonly fullName: string
  readonly private: boolean
  readonly archived: boolean
  readonly createdAt: number
}

export type RunnerGroup = {
  readonly id: number
  readonly organization: string
  readonly name: string
  readonly isDefault: boolean
  readonly visibility: 'all' | 'private' | 'selected'
  readonly allowsPublicRepositories: boolean
  /** Full names; read only where the visibility is `selected`. */
  readonly repositories: readonly string[]
}

export type Scope =
  | { readonly kind: 'organization'; readonly login: string }
  | { readonly kind: 'repository'; readonly fullName: string }

export type SimRunner = {
  readonly id: number
  readonly name: string
  readonly scope: Scope
  readonly group: { readonly id: number; readonly name: string }
  readonly labels: readonly string[]
  readonly ephemeral: boolean
  readonly online: boolean
  /** Known to GitHub from the first time that the runner speaks. */
  readonly os: string | null
  readonly version: string | null
  /** The job that GitHub gave it. Stays while a runner that vanished is not yet given up. */
  readonly job: { readonly id: number; readonly since: number } | null
  readonly registeredAt: number
  readonly offlineSince: number | null
}

export type JobConclusion = 'success' | 'failure' | 'cancelled' | 'skipped'
export type JobStatus = 'waiting' | 'queued' | 'in_progress' | 'completed'

export type Step = {
  readonly name: string
  readonly number: number
  readonly status: 'in_progress' | 'completed'
  readonly conclusion: JobConclusion | null
  readonly startedAt: number
  readonly completedAt: number | null
}

export type Annotation = {
  readonly level: 'notice' | 'warning' | 'failure'
  readonly message: string
  readonly title: string | null
  readonly path: string
}

export type SimJob = {
  readonly id: number
  readonly run: number
  readonly attempt: number
  readonly repository: string
  readonly name: string
  readonly labels: readonly string[]
  readonly status: JobStatus
  readonly conclusion: JobConclusion | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly completedAt: number | null
  /** The runner as GitHub remembers it, also after the runner is gone. */
  readonly runner: {
    readonly id: number
    readonly name: string
    readonly group: { readonly id: number; readonly name: string }
  } | null
  readonly steps: readonly Step[]
  readonly annotations: readonly Annotation[]
  /** `null`: the runner never uploaded one. `expired`: GitHub has deleted it. */
  readonly log: { readonly kind: 'text'; readonly text: string } | { readonly kind: 'expired' } | null
}

export type RunStatus = 'queued' | 'waiting' | 'in_progress' | 'completed'

export type SimRun = {
  readonly id: number
  readonly repository: string
  readonly workflow: { readonly id: number; readonly name: string; readonly path: string }
  readonly number: number
  readonly attempt: number
  readonly event: string
  readonly headBranch: string
  readonly headSha: string
  readonly checkSuite: number
  readonly status: RunStatus
  readonly conclusion: JobConclusion | null
  readonly createdAt: number
  readonly attemptStartedAt: number
  readonly updatedAt: number
}

export type CheckRun = {
  readonly id: number
  readonly repository: string
  readonly name: string
  readonly headSha: string
  readonly externalId: string | null
  readonly detailsUrl: string | null
  readonly status: 'queued' | 'in_progress' | 'completed'
  readonly conclusion:
    | 'success'
    | 'failure'
    | 'neutral'
    | 'cancelled'
    | 'skipped'
    | 'timed_out'
    | 'action_required'
    | null
  readonly startedAt: number | null
  readonly completedAt: number | null
  readonly output: { readonly title: string | null; readonly summary: string | null; readonly text: string | null }
  readonly annotations: readonly Annotation[]
}

/** Events for webhook subscribers. The rows are as they were when it happened. */
export type WorldEvent =
  | {
      readonly kind: 'workflow_job'
      readonly action: 'queued' | 'waiting' | 'in_progress' | 'completed'
      readonly job: SimJob
      readonly run: SimRun
      readonly repository: Repository
    }
  | {
      readonly kind: 'workflow_run'
      readonly action: 'requested' | 'in_progress' | 'completed'
      readonly run: SimRun
      readonly repository: Repository
    }
