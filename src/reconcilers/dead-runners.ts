/**
 * Stuck: A job executes, as far as we know, and the pod of its runner is gone.
 * Not caught elsewhere: The webhook of its end was lost, or comes only when GitHub gives the runner up, some ten minutes
 *   later.
 * Proof: GitHub is asked about the job: `completed` closes it. Anything else leaves it, because GitHub owns the job.
 * Threshold: A minute after the pod ended, because the webhook is usually faster; then after twice as long each time, up
 *   to an hour.
 */

import { printAge } from '#/core/basics/age.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Job } from '#/core/dispatch/job.ts'
import { check, jobSubject } from '#/core/recovery/recovery.ts'
import type { RecoveryLoop } from '#/core/recovery/recovery.ts'
import { endedThere, sightOf } from '#/core/recovery/seen-at-github.ts'
import type { JobAtGitHub } from '#/core/recovery/seen-at-github.ts'

export type DeadRunner = {
  readonly job: Extract<Job, { state: 'executing' }>
  /** When the pod of its runner ended, or was lost; null: it is live, or not ours. */
  readonly podGoneAt: number | null
  readonly atGitHub: Observed<JobAtGitHub>
}

export const GONE_FOR_MS = 60_000

export const deadRunners: RecoveryLoop<DeadRunner> = {
  id: 'dead-runners',
  decide: ({ job, podGoneAt, atGitHub }, now) => {
    const gone = podGoneAt === null ? 'its pod is not gone' : `its pod is gone for ${printAge(podGoneAt, now)}`
    const isDue = podGoneAt !== null && now - podGoneAt >= GONE_FOR_MS
    const due = check('due', isDue, { why: `${gone}; the limit is ${formatDuration(GONE_FOR_MS)}`, at: now }, now)
    const sight = sightOf(atGitHub, job, now)
    const holds = sight.kind === 'over' ? true : sight.kind === 'blind' ? null : false
    const plain = { loop: 'dead-runners', act: 'close-job', subject: jobSubject(job), leavesBehind: null } as const
    return {
      ...plain,
      since: podGoneAt ?? now,
      checks: [due, check('github-job', holds, { why: sight.why, at: now }, now)],
      action: sight.kind === 'over' ? { kind: 'record', happening: endedThere(job, sight, now) } : null,
    }
  },
}
