import type { Observed } from '#/core/basics/observed.ts'
import type { Happening } from '#/core/dispatch/assignment.ts'
import { pickJobFacts } from '#/core/dispatch/job.ts'
import type { Job } from '#/core/dispatch/job.ts'
import type { Runner } from '#/core/dispatch/runner.ts'

/** What GitHub says about one job. */
export type JobAtGitHub = {
  readonly status: string
  readonly conclusion: string | null
  readonly runner: Runner | null
  readonly startedAt: number | null
  readonly completedAt: number | null
}

/** What GitHub says about one run. */
export type RunAtGitHub = { readonly attempt: number; readonly status: string; readonly conclusion: string | null }

/** What GitHub's list says about one runner; `none`: the complete list does not have it. */
export type RunnerAtGitHub = {
  readonly id: number
  readonly name: string
  readonly online: boolean
  readonly busy: boolean
}

/** GitHub's words for a job that no runner has. */
const WAITING: ReadonlySet<string> = new Set(['queued', 'waiting', 'pending', 'requested'])

/** A job that was just created is not found everywhere at once. */
export const ABSENT_AFTER_MS = 10 * 60_000

export type JobSight =
  | { readonly kind: 'waiting' | 'unclear'; readonly why: string }
  | { readonly kind: 'blind'; readonly why: string }
  | { readonly kind: 'executing'; readonly why: string; readonly runner: Runner; readonly startedAt: number | null }
  | {
      readonly kind: 'over'
      readonly why: string
      readonly runner: Runner | null
      readonly conclusion: string
      readonly at: number | null
    }

/** One meaning for each answer. What is not understood is `unclear`, and nothing is done about it. */
export function sightOf(observed: Observed<JobAtGitHub>, job: Job, now: number): JobSight {
  if (observed.kind === 'blind') return { kind: 'blind', why: `GitHub could not be asked: ${observed.reason.detail}` }
  if (observed.kind === 'none') {
    if (now - job.queuedAt < ABSENT_AFTER_MS) return { kind: 'unclear', why: 'GitHub does not know the job yet' }
    const why = 'GitHub has no such job any more'
    return { kind: 'over', why, runner: null, conclusion: 'absent', at: null }
  }
  const { status, conclusion, runner, startedAt, completedAt } = observed.value
  if (status === 'completed') {
    const ended = conclusion ?? 'unknown'
    return { kind: 'over', why: `GitHub reports it completed: ${ended}`, runner, conclusion: ended, at: completedAt }
  }
  if (status === 'in_progress') {
    return runner === null
      ? { kind: 'unclear', why: 'GitHub reports it in_progress and names no runner' }
      : { kind: 'executing', why: `GitHub reports it in_progress on ${runner.name}`, runner, startedAt }
  }
  if (WAITING.has(status)) return { kind: 'waiting', why: `GitHub still reports it ${status}` }
  return { kind: 'unclear', why: `GitHub reports a status that is not known: ${status}` }
}

/** The webhook that never came. */
export function startedThere(job: Job, sight: Extract<JobSight, { kind: 'executing' }>, now: number): Happening {
  return {
    kind: 'job-started',
    at: Math.min(sight.startedAt ?? now, now),
    facts: pickJobFacts(job),
    runner: sight.runner,
  }
}

export function endedThere(job: Job, sight: Extract<JobSight, { kind: 'over' }>, now: number): Happening {
  const { runner, conclusion, at } = sight
  return { kind: 'job-completed', at: Math.min(at ?? now, now), facts: pickJobFacts(job), runner, conclusion }
}
