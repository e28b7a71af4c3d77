import { backoffMs } from '#/core/basics/backoff.ts'
import { compareRunners, knownRunner } from './runner.ts'
import type { Runner } from './runner.ts'

/**
 * GitHub owns the job; we only keep what GitHub reported and which slot we intended for it.
 *
 *   absent ─announced─> queued ─claimed─> claimed ─minted─> minted ─started─> executing ─completed─> finished
 *                         ^                  │                │
 *                         └──── returned (a recorded recovery, counted, with a back-off) ────┘
 *
 * A job that was returned too often is parked: queued, but never due, until it is `retried`.
 *
 * `started` and `completed` come from GitHub and are accepted in every state but `finished`, which is final.
 */
export type Job = JobFacts & JobProgress & JobPhase

export type JobFacts = {
  readonly id: number
  readonly runId: number
  readonly runAttempt: number
  readonly repository: string
  readonly workflow: string
  readonly name: string
  readonly labels: readonly string[]
  /** The matching scope: slots of the same scope may run it. */
  readonly scope: string
  readonly queuedAt: number
}

type JobProgress = {
  /** Rises with every change; a handle that does not match changes nothing. */
  readonly generation: number
  readonly recoveries: number
}

export type JobPhase =
  | { readonly state: 'queued'; readonly notBefore: number }
  | { readonly state: 'claimed'; readonly slot: string; readonly claimedAt: number }
  | { readonly state: 'minted'; readonly slot: string; readonly mintedAt: number }
  | { readonly state: 'executing'; readonly runner: Runner; readonly startedAt: number }
  | {
      readonly state: 'finished'
      readonly runner: Runner | null
      readonly conclusion: string
      readonly finishedAt: number
    }

export type JobState = JobPhase['state']

export const JOB_STATES = [
  'queued',
  'claimed',
  'minted',
  'executing',
  'finished',
] as const satisfies readonly JobState[]

/** Why a job went back to the queue. Each is a row in its history. */
export const RETURN_REASONS = [
  'claim-stale',
  'mint-failed',
  'never-registered',
  'slot-lost',
  'displaced',
  'by-hand',
] as const
export type ReturnReason = (typeof RETURN_REASONS)[number]

export type JobEvent =
  | { readonly kind: 'announced'; readonly at: number; readonly facts: JobFacts }
  | { readonly kind: 'claimed'; readonly at: number; readonly slot: string }
  | { readonly kind: 'minted'; readonly at: number; readonly slot: string }
  | { readonly kind: 'retargeted'; readonly at: number; readonly slot: string; readonly minted: boolean }
  | { readonly kind: 'returned'; readonly at: number; readonly slot: string; readonly reason: ReturnReason }
  /** Somebody puts a parked job back, or one that waits for its back-off. */
  | { readonly kind: 'retried'; readonly at: number }
  /** The pools have changed, and another one serves it now. */
  | { readonly kind: 'moved'; readonly at: number; readonly scope: string }
  | { readonly kind: 'started'; readonly at: number; readonly runner: Runner; readonly facts: JobFacts }
  | {
      readonly kind: 'completed'
      readonly at: number
      readonly runner: Runner | null
      readonly conclusion: string
      readonly facts: JobFacts
    }

export type JobEventKind = JobEvent['kind']

/** What an event does to a job: the next phase, or nothing. */
type Answer<K extends JobEventKind, S extends JobState | 'absent'> =
  | 'ignore'
  | ((event: Extract<JobEvent, { kind: K }>, job: S extends JobState ? Extract<Job, { state: S }> : null) => NextJob)

/** `recovered`: one more recovery is counted. `anew`: the count begins again. */
type Next = { readonly phase: JobPhase; readonly count: 'same' | 'recovered' | 'anew'; readonly scope?: string }
type NextJob = Next | 'ignore'

type Table = { readonly [S in JobState | 'absent']: { readonly [K in JobEventKind]: Answer<K, S> } }

const to = (phase: JobPhase): Next => ({ phase, count: 'same' })

/** Due at once: GitHub's clock, which says when it was queued, may be ahead of ours. */
const queue = (): NextJob => to({ state: 'queued', notBefore: 0 })

const execute = (event: { readonly runner: Runner; readonly at: number }): NextJob =>
  to({ state: 'executing', runner: event.runner, startedAt: event.at })

type Completion = { readonly runner: Runner | null; readonly conclusion: string; readonly at: number }

const finish = (event: Completion): NextJob =>
  to({ state: 'finished', runner: event.runner, conclusion: event.conclusion, finishedAt: event.at })

/** A completion without a full runner name keeps the runner of the start. */
const finishExecuting = (event: Completion, job: { readonly runner: Runner }): NextJob =>
  finish({ ...event, runner: event.runner === null ? job.runner : knownRunner(job.runner, event.runner) })

const retarget = (event: { readonly slot: string; readonly minted: boolean; readonly at: number }): NextJob =>
  to(
    event.minted
      ? { state: 'minted', slot: event.slot, mintedAt: event.at }
      : { state: 'claimed', slot: event.slot, claimedAt: event.at },
  )

/** Only the slot that holds the claim can return it: a recovery that names another slot is about an older claim. */
const giveBack = (
  event: { readonly slot: string; readonly reason: ReturnReason; readonly at: number },
  job: { readonly slot: string; readonly recoveries: number },
): NextJob =>
  event.slot === job.slot
    ? {
        phase: { state: 'queued', notBefore: dueAgain(event, job.recoveries) },
        count: 'recovered',
      }
    : 'ignore'

/**
 * GitHub may give a job that was acquired and never ran to another runner. Only the time of its report decides: the latest
 * counts, and of two with the same time (GitHub's have a second's resolution) the one of the later runner, so that the
 * same deliveries give the same answer in any order and any number.
 */
const rebind = (
  event: { readonly runner: Runner; readonly at: number },
  job: { readonly runner: Runner; readonly startedAt: number },
): NextJob => ((event.at - job.startedAt || compareRunners(event.runner, job.runner)) > 0 ? execute(event) : 'ignore')

export const JOB_TABLE: Table = {
  absent: {
    announced: queue,
    claimed: 'ignore',
    minted: 'ignore',
    retargeted: 'ignore',
    returned: 'ignore',
    retried: 'ignore',
    moved: 'ignore',
    started: execute,
    completed: finish,
  },
  queued: {
    announced: 'ignore',
    retried: (event, job) =>
      job.notBefore > event.at ? { phase: { state: 'queued', notBefore: 0 }, count: 'anew' } : 'ignore',
    moved: ({ scope }, job) =>
      scope === job.scope ? 'ignore' : { ...to({ state: 'queued', notBefore: job.notBefore }), scope },
    claimed: (event, job) =>
      event.at >= job.notBefore ? to({ state: 'claimed', slot: event.slot, claimedAt: event.at }) : 'ignore',
    minted: 'ignore',
    retargeted: 'ignore',
    returned: 'ignore',
    started: execute,
    completed: finish,
  },
  claimed: {
    announced: 'ignore',
    claimed: 'ignore',
    minted: (event, job) =>
      event.slot === job.slot ? to({ state: 'minted', slot: event.slot, mintedAt: event.at }) : 'ignore',
    // Its slot has no runner yet, so GitHub cannot have given that runner another job.
    retargeted: 'ignore',
    returned: giveBack,
    retried: 'ignore',
    moved: 'ignore',
    started: execute,
    completed: finish,
  },
  minted: {
    announced: 'ignore',
    claimed: 'ignore',
    minted: 'ignore',
    retargeted: retarget,
    returned: giveBack,
    retried: 'ignore',
    moved: 'ignore',
    started: execute,
    completed: finish,
  },
  executing: {
    announced: 'ignore',
    claimed: 'ignore',
    minted: 'ignore',
    retargeted: 'ignore',
    returned: 'ignore',
    retried: 'ignore',
    moved: 'ignore',
    started: rebind,
    completed: finishExecuting,
  },
  finished: {
    announced: 'ignore',
    claimed: 'ignore',
    minted: 'ignore',
    retargeted: 'ignore',
    returned: 'ignore',
    retried: 'ignore',
    moved: 'ignore',
    started: 'ignore',
    completed: 'ignore',
  },
}

/**
 * A parked job is queued and never due: GitHub may still give it to any runner and may end it, but we claim nothing for it
 * until somebody retries it. Its history shows the last return and its reason.
 */
export const PARKED_UNTIL = Date.UTC(9999, 11, 31)

export function isParked(job: Job): boolean {
  return job.state === 'queued' && job.notBefore === PARKED_UNTIL
}

/** With the pauses in between these are half an hour of failures, and six hours in which GitHub registers no runner. */
export const MOST_RECOVERIES = 10
export const MOST_FAILED_MINTS = 40

function dueAgain({ at, reason }: { readonly at: number; readonly reason: ReturnReason }, recoveries: number): number {
  return recoveries + 1 >= mostRecoveries(reason) ? PARKED_UNTIL : at + pauseBeforeRetry(reason, recoveries)
}

function mostRecoveries(reason: ReturnReason): number {
  switch (reason) {
    // GitHub gave its runner to another job, or a person returned it: neither says that the job cannot run.
    case 'displaced':
    case 'by-hand':
      return Infinity
    // A failure of GitHub, which its breaker limits, must not park every job that met it.
    case 'mint-failed':
      return MOST_FAILED_MINTS
    case 'claim-stale':
    case 'never-registered':
    case 'slot-lost':
      return MOST_RECOVERIES
  }
}

const RETRY = { firstMs: 5_000, mostMs: 10 * 60_000 }

/** A displaced job gets no back-off; the others wait twice as long each time. */
export function pauseBeforeRetry(reason: ReturnReason, recoveries: number): number {
  if (reason === 'displaced') return 0
  return backoffMs(RETRY, recoveries)
}

/** The job after the event, or null if the event changes nothing. */
export function nextJob(job: Job | null, event: JobEvent): Job | null {
  const answer = JOB_TABLE[job?.state ?? 'absent'][event.kind]
  if (answer === 'ignore') return null
  // The table's type pairs state with event; TypeScript cannot follow the two lookups, the table test does.
  const next = (answer as (event: JobEvent, job: Job | null) => NextJob)(event, job)
  if (next === 'ignore') return null
  return inPhase(job, event, next)
}

function inPhase(job: Job | null, event: JobEvent, next: Exclude<NextJob, 'ignore'>): Job | null {
  const facts = job === null ? eventFacts(event) : pickJobFacts(job)
  if (facts === null) return null
  return {
    ...facts,
    scope: next.scope ?? facts.scope,
    generation: (job?.generation ?? 0) + 1,
    recoveries: next.count === 'anew' ? 0 : (job?.recoveries ?? 0) + (next.count === 'recovered' ? 1 : 0),
    ...next.phase,
  }
}

function eventFacts(event: JobEvent): JobFacts | null {
  return 'facts' in event ? event.facts : null
}

export function pickJobFacts(job: Job): JobFacts {
  const { id, runId, runAttempt, repository, workflow, name, labels, scope, queuedAt } = job
  return { id, runId, runAttempt, repository, workflow, name, labels, scope, queuedAt }
}

/** It holds a slot, ours or another, and counts against the share and the cap of its repository. */
export function isUnderWay(job: Job | null): boolean {
  return job !== null && job.state !== 'queued' && job.state !== 'finished'
}
