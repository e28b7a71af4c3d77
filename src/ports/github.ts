import type { BudgetOwner } from '#/core/github/budget-owner.ts'
import type { Secret } from '#/core/basics/secret.ts'
import type { BlindReason, Observed } from '#/core/basics/observed.ts'
import type { Runner } from '#/core/dispatch/runner.ts'
import type { Documents } from './github-documents.ts'
import type { Registration, Waiting } from './github-place.ts'

export type { Registration, Waiting }

/**
 * GitHub as the core side needs it. A read is `seen`, `none` or `blind`; a write has an outcome with a name. Nothing here
 * throws for what GitHub, the network or a proxy does. `none` is said only where GitHub was provably looking: a 404 on a
 * thing counts as absence only if the place that would hold it can be read.
 */
export type GitHub = {
  readonly runners: Runners
  readonly jobs: Jobs
  readonly checks: Checks
  readonly hooks: Hooks
  readonly access: Access
  readonly documents: Documents
}

export type Runners = {
  /** Every runner that was registered while we read, or blind. Of those that came or went meanwhile some: `byId` knows. */
  readonly list: (at: Registration, options?: Waiting) => Promise<Observed<readonly RegisteredRunner[]>>
  readonly byId: (at: Registration, id: number, options?: Waiting) => Promise<Observed<RegisteredRunner>>
  readonly byName: (at: Registration, name: string, options?: Waiting) => Promise<Observed<RegisteredRunner>>
  /** GitHub itself refuses to remove a runner that is busy. */
  readonly deregister: (at: Registration, id: number, options?: Waiting) => Promise<DeregisterOutcome>
  readonly mint: (at: Registration, order: MintOrder, options?: Waiting) => Promise<MintOutcome>
  readonly groups: (organization: string, options?: Waiting) => Promise<Observed<readonly RunnerGroup[]>>
}

export type RunnerGroup = { readonly id: number; readonly name: string }

export type RegisteredRunner = {
  readonly id: number
  readonly name: string
  readonly os: string
  readonly status: 'online' | 'offline' | 'unknown'
  readonly busy: boolean
  /** GitHub Enterprise before 3.14 does not say. */
  readonly ephemeral: boolean | null
  readonly labels: readonly string[]
  readonly groupId: number | null
}

export type DeregisterOutcome =
  | { readonly kind: 'deregistered' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'absent' }
  | Forbidden
  | BlindOutcome

export type MintOrder = {
  readonly name: string
  readonly groupId: number
  readonly labels: readonly string[]
  readonly workFolder?: string
}

/** `blind` after a mint means: perhaps minted. The name may be taken and the runner may have to be deregistered. */
export type MintOutcome =
  | { readonly kind: 'minted'; readonly runner: RegisteredRunner; readonly config: Secret }
  | { readonly kind: 'name-taken' }
  | { readonly kind: 'refused'; readonly why: 'forbidden' | 'absent' | 'invalid'; readonly detail: string }
  | RateLimited
  | BlindOutcome

export type Forbidden = {
  readonly kind: 'forbidden'
  /** What GitHub says would have allowed it, as `actions=write`; null where it does not say. */
  readonly permission: string | null
  readonly detail: string
}
export type RateLimited = { readonly kind: 'rate-limited'; readonly until: number; readonly detail: string }
export type BlindOutcome = { readonly kind: 'blind'; readonly reason: BlindReason }

/** How a write can fail, where the operation has no more precise outcome. */
export type WriteFailure =
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'absent' }
  | Forbidden
  | RateLimited
  | BlindOutcome

/** A repository is always `owner/name`. */
export type Jobs = {
  readonly byId: (repository: string, id: number, options?: Waiting) => Promise<Observed<WorkflowJob>>
  /** The jobs of the run's latest attempt. */
  readonly ofRun: (repository: string, run: number, options?: Waiting) => Promise<Observed<readonly WorkflowJob[]>>
  readonly run: (repository: string, id: number, options?: Waiting) => Promise<Observed<WorkflowRun>>
  readonly runs: (
    repository: string,
    status: 'queued' | 'in_progress',
    options?: Waiting,
  ) => Promise<Observed<readonly WorkflowRun[]>>
  /** Costs one request for each run that is queued or in progress. */
  readonly queued: (repository: string, options?: Waiting) => Promise<Observed<readonly WorkflowJob[]>>
  /** The same for each repository of the organisation that the credential can see; one blind repository hides no other. */
  readonly queuedOfOrganization: (
    organization: string,
    options?: Waiting,
  ) => Promise<Observed<readonly RepositoryQueue[]>>
  readonly log: (repository: string, job: number, reading: LogReading) => Promise<Observed<LogRead>>
  readonly rerun: (repository: string, job: number, options?: Waiting) => Promise<RequestOutcome>
  readonly rerunFailed: (repository: string, run: number, options?: Waiting) => Promise<RequestOutcome>
}

export type RequestOutcome = { readonly kind: 'requested' } | WriteFailure

export type RepositoryQueue = { readonly repository: string; readonly jobs: Observed<readonly WorkflowJob[]> }

export type JobStatus = 'queued' | 'waiting' | 'pending' | 'requested' | 'in_progress' | 'completed' | 'unknown'

export type WorkflowJob = {
  readonly id: number
  readonly runId: number
  readonly runAttempt: number
  readonly repository: string
  readonly workflow: string | null
  readonly name: string
  readonly status: JobStatus
  readonly conclusion: string | null
  readonly labels: readonly string[]
  readonly runner: Runner | null
  readonly runnerGroup: string | null
  readonly headSha: string
  readonly headBranch: string | null
  readonly checkRunId: number | null
  readonly createdAt: number | null
  readonly startedAt: number | null
  readonly completedAt: number | null
  readonly steps: readonly JobStep[]
}

export type JobStep = {
  readonly number: number
  readonly name: string
  readonly status: string
  readonly conclusion: string | null
  readonly startedAt: number | null
  readonly completedAt: number | null
}

export type WorkflowRun = {
  readonly id: number
  readonly attempt: number
  readonly repository: string
  readonly workflow: string | null
  readonly event: string
  readonly status: string
  readonly conclusion: string | null
  readonly headSha: string
  readonly headBranch: string | null
  readonly createdAt: number | null
  readonly startedAt: number | null
  readonly updatedAt: number | null
}

export type LogReading = Waiting & {
  readonly maxBytes: number
  /** Given the log in order, piece by piece; the next piece waits for it. */
  readonly take: (piece: Uint8Array) => void | Promise<void>
}
/** `complete` is false where the log went on behind `maxBytes`. A log that breaks off is blind, not short. */
export type LogRead = { readonly bytes: number; readonly complete: boolean }

export type Checks = {
  readonly annotations: (
    repository: string,
    checkRun: number,
    options?: Waiting,
  ) => Promise<Observed<readonly Annotation[]>>
  readonly create: (repository: string, check: NewCheckRun, options?: Waiting) => Promise<CheckRunOutcome>
  readonly update: (
    repository: string,
    id: number,
    change: CheckRunReport,
    options?: Waiting,
  ) => Promise<CheckRunOutcome>
}

export type Annotation = {
  readonly level: string | null
  readonly title: string | null
  readonly message: string
  readonly path: string
  readonly startLine: number
}

export type CheckRunReport = {
  readonly status: 'queued' | 'in_progress' | 'completed'
  /** Only with `completed`. */
  readonly conclusion?: 'success' | 'failure' | 'neutral' | 'cancelled' | 'skipped' | 'timed_out' | 'action_required'
  readonly title: string
  readonly summary: string
  readonly detailsUrl?: string
}
export type NewCheckRun = CheckRunReport & {
  readonly name: string
  readonly headSha: string
  readonly externalId?: string
}
export type CheckRunOutcome = { readonly kind: 'written'; readonly id: number } | WriteFailure

export type Hooks = {
  /** Every attempt of every delivery since the time, newest first: a success is listed beside the failures before it. */
  readonly deliveries: (hook: Hook, sinceMs: number, options?: Waiting) => Promise<Observed<readonly HookDelivery[]>>
  readonly redeliver: (hook: Hook, delivery: string, options?: Waiting) => Promise<RequestOutcome>
}

export type Hook =
  | { readonly kind: 'app' }
  | { readonly kind: 'organization'; readonly organization: string; readonly id: number }
  | { readonly kind: 'repository'; readonly repository: string; readonly id: number }

export type HookDelivery = {
  /** Of this attempt. Digits, because GitHub's ids are 64 bits wide here. */
  readonly id: string
  /** Of the delivery: the same for each attempt. */
  readonly guid: string
  readonly event: string
  readonly action: string | null
  readonly status: string
  readonly statusCode: number
  readonly redelivery: boolean
  readonly deliveredAt: number
}

export type Access = {
  /** Budgets from the last answers, one per credential and resource; makes no request. */
  readonly budgets: () => readonly Budget[]
  /** Whose rate limit the credential uses up. */
  readonly budgetOwner: BudgetOwner
  /** How far GitHub's clock is ahead of ours, from the last answer; asks nothing. */
  readonly clockSkewMs: () => number | null
  /** Asks GitHub for the budgets of the owner's credential; free of charge. */
  readonly rateLimits: (owner: string, options?: Waiting) => Promise<Observed<readonly Budget[]>>
  readonly installation: (owner: string, options?: Waiting) => Promise<Observed<Installation>>
  readonly app: (options?: Waiting) => Promise<Observed<AppInfo>>
  /** Which of the needed permissions the credential lacks for the owner. */
  readonly missing: (
    owner: string,
    needed: readonly Permission[],
    options?: Waiting,
  ) => Promise<Observed<readonly Permission[]>>
}

export type Budget = {
  /** Such as `installation 4711`, `app 17` or `token`. */
  readonly credential: string
  readonly resource: string
  readonly limit: number
  readonly remaining: number
  readonly resetAt: number
  /** Where the numbers come from: the headers of an ordinary answer, or GitHub's rate limit endpoint. */
  readonly source: 'headers' | 'rate-limit'
  /** A secondary limit holds the credential back until then. */
  readonly heldUntil: number | null
}

export type Level = 'read' | 'write' | 'admin'
export type Permission = { readonly name: string; readonly level: Level }

export type Installation = {
  readonly id: number
  /** Null where the account was deleted. */
  readonly account: string | null
  readonly permissions: readonly Permission[]
  readonly events: readonly string[]
  readonly repositories: 'all' | 'selected'
  readonly suspendedAt: number | null
}

export type AppInfo = {
  readonly id: number
  readonly slug: string | null
  readonly permissions: readonly Permission[]
  readonly events: readonly string[]
}
