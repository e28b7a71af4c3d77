/**
 * Stuck: A job waits in our queue although GitHub has ended it, or has given it to somebody.
 * Not caught elsewhere: Its webhook was lost, or GitHub sends none: a run that ends with `startup_failure` leaves its
 *   jobs `queued` for ever.
 * Proof: GitHub is asked about the job, and if it still waits, about its run: a run that is over, or at a later attempt,
 *   gives its jobs to nobody. Without an answer nothing is closed, however old the job is.
 * Threshold: Half an hour in the queue, then after twice as long each time, up to six hours: most jobs that wait that
 *   long wait for capacity.
 */

import { printAge } from '#/core/basics/age.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Job } from '#/core/dispatch/job.ts'
import { check, jobSubject } from '#/core/recovery/recovery.ts'
import type { RecoveryLoop } from '#/core/recovery/recovery.ts'
import { endedThere, sightOf, startedThere } from '#/core/recovery/seen-at-github.ts'
import type { JobAtGitHub, JobSight, RunAtGitHub } from '#/core/recovery/seen-at-github.ts'

export type StaleQueued = {
  readonly job: Extract<Job, { state: 'queued' }>
  readonly atGitHub: Observed<JobAtGitHub>
  /** Its run; asked only if the job still waits. */
  readonly run: Observed<RunAtGitHub>
}

export const QUEUED_FOR_MS = 30 * 60_000

export const staleQueue: RecoveryLoop<StaleQueued> = {
  id: 'stale-queue',
  decide: ({ job, atGitHub, run }, now) => {
    const age = `queued ${printAge(job.queuedAt, now)} ago; the limit is ${formatDuration(QUEUED_FOR_MS)}`
    const due = check('due', now - job.queuedAt >= QUEUED_FOR_MS, { why: age, at: now }, now)
    const plain = { loop: 'stale-queue', subject: jobSubject(job), since: job.queuedAt, leavesBehind: null } as const
    const sight = sightOf(atGitHub, job, now)
    const asked = (holds: boolean | null) => check('github-job', holds, { why: sight.why, at: now }, now)
    switch (sight.kind) {
      case 'over': {
        const happening = endedThere(job, sight, now)
        return { ...plain, act: 'close-job', checks: [due, asked(true)], action: { kind: 'record', happening } }
      }
      case 'executing': {
        const happening = startedThere(job, sight, now)
        return { ...plain, act: null, checks: [due, asked(true)], action: { kind: 'record', happening } }
      }
      case 'blind':
        return { ...plain, act: 'close-job', checks: [due, asked(null)], action: null }
      case 'unclear':
        return { ...plain, act: 'close-job', checks: [due, asked(false)], action: null }
      case 'waiting': {
        const over = readRun(job, run, now)
        const checks = [due, asked(true), check('run-over', over.isOver, { why: over.why, at: now }, now)]
        const happening = endedThere(job, over.sight, now)
        return { ...plain, act: 'close-job', checks, action: { kind: 'record', happening } }
      }
    }
  },
}

type RunSight = {
  readonly isOver: boolean | null
  readonly why: string
  readonly sight: Extract<JobSight, { kind: 'over' }>
}

function readRun({ runId, runAttempt }: Job, run: Observed<RunAtGitHub>, now: number): RunSight {
  const over = (conclusion: string): RunSight['sight'] => ({ kind: 'over', why: '', runner: null, conclusion, at: now })
  if (run.kind === 'blind')
    return { isOver: null, why: `its run could not be read: ${run.reason.detail}`, sight: over('unknown') }
  // The job is there and its run is not: one of the answers is not about now.
  if (run.kind === 'none') return { isOver: false, why: `GitHub has no run ${runId}`, sight: over('unknown') }
  const { attempt, status, conclusion } = run.value
  if (attempt > runAttempt) {
    const why = `run ${runId} is at attempt ${attempt}, and the job is of attempt ${runAttempt}`
    return { isOver: true, why, sight: over('stale') }
  }
  const ended = conclusion ?? 'unknown'
  const why = `run ${runId} is ${status}${status === 'completed' ? `: ${ended}` : ''}`
  return { isOver: status === 'completed' && attempt === runAttempt, why, sight: over(ended) }
}
