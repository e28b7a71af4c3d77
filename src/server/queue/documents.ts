import { describeReason } from '#/core/basics/observed.ts'
import { WAIT_REASONS } from '#/core/dispatch/explain-queue.ts'
import type { WaitingJob } from '#/core/dispatch/explain-queue.ts'
import { isParked, PARKED_UNTIL, pickJobFacts } from '#/core/dispatch/job.ts'
import type { Job } from '#/core/dispatch/job.ts'
import type { DispatchNow } from '#/runtime/own-pools/observe-dispatch.ts'
import type { ShownQueue } from '#/runtime/own-pools/show-queue.ts'

/** What the API shows of what dispatch knows; the descriptions of the fields are in queue-schemas.ts. */

/** A time that no calendar has, from a webhook, must not end the answer for all others. */
export function toTime(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? '1970-01-01T00:00:00.000Z' : date.toISOString()
}

export function toBlind({ declared, pods }: DispatchNow) {
  return [
    ...(declared.kind === 'blind' ? [{ source: 'pools', reason: describeReason(declared.reason) }] : []),
    ...(pods.kind === 'blind' ? [{ source: 'pods', reason: describeReason(pods.reason) }] : []),
  ]
}

export function toWaiting({ job, place, waits, why }: WaitingJob) {
  const { id, runId, repository, workflow, name, labels, scope, queuedAt, recoveries } = job
  const facts = { id, runId, repository, workflow, name, labels, pool: scope }
  return { ...facts, queuedAt: toTime(queuedAt), recoveries, notBefore: notBefore(job), place, waits, why }
}

/** Null for a job that is due, and for a parked one, which is never due. */
function notBefore(job: Job): string | null {
  if (job.state !== 'queued' || job.notBefore === 0 || job.notBefore >= PARKED_UNTIL) return null
  return toTime(job.notBefore)
}

export function toPoolQueue({ scope, spec, unusable, counts, room, waiting }: ShownQueue) {
  const byReason = Object.fromEntries(WAIT_REASONS.map((reason) => [reason, 0]))
  for (const { waits } of waiting) byReason[waits] = (byReason[waits] ?? 0) + 1
  const oldest = waiting.reduce((least, { job }) => Math.min(least, job.queuedAt), Infinity)
  return {
    pool: scope,
    registration: spec?.github.scope ?? null,
    unusable,
    replicas: counts,
    room,
    waiting: waiting.length,
    counts: byReason,
    oldestQueuedAt: waiting.length === 0 ? null : toTime(oldest),
  }
}

export function toJob(job: Job) {
  const { scope, queuedAt, ...facts } = pickJobFacts(job)
  const { generation, recoveries } = job
  const since = sinceOf(job)
  return {
    ...facts,
    pool: scope,
    queuedAt: toTime(queuedAt),
    state: isParked(job) ? ('parked' as const) : job.state,
    since: since === null ? null : toTime(since),
    generation,
    recoveries,
    notBefore: notBefore(job),
    slot: 'slot' in job ? job.slot : null,
    runner: 'runner' in job ? job.runner : null,
    conclusion: 'conclusion' in job ? job.conclusion : null,
  }
}

function sinceOf(job: Job): number | null {
  switch (job.state) {
    case 'queued':
      return job.generation === 1 ? job.queuedAt : null
    case 'claimed':
      return job.claimedAt
    case 'minted':
      return job.mintedAt
    case 'executing':
      return job.startedAt
    case 'finished':
      return job.finishedAt
  }
}
