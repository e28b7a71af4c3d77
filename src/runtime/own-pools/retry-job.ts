import type { Job } from '#/core/dispatch/job.ts'
import type { Ending } from '#/core/ledger/attempt.ts'
import { jobSubject } from '#/core/recovery/recovery.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { attemptChange, uninterrupted } from '#/runtime/act/change-log.ts'
import type { ChangeLog } from '#/runtime/act/change-log.ts'
import { concludeJob, generationProof } from '#/runtime/recovery/close-left.ts'
import { record } from '#/runtime/dispatch/record.ts'

export type RetryMeans = {
  readonly assignments: Assignments
  readonly ledger: Ledger
  readonly clock: Clock
}

export type Retried =
  | { readonly kind: 'retried'; readonly job: Job; readonly ledger: number }
  | { readonly kind: 'absent' }
  /** It does not wait for a back-off and is not parked. */
  | { readonly kind: 'not-held-back'; readonly state: Job['state'] }
  /** A loop or another person acts on it, or something changed it meanwhile. */
  | { readonly kind: 'busy' }

const ABANDONED_AFTER_MS = 60_000

/** Somebody puts a parked job back, or one that waits for its back-off. The attempt is in the ledger. */
export async function retryJob(
  id: number,
  by: { readonly actor: string; readonly run: string },
  { assignments, ledger, clock }: RetryMeans,
): Promise<Retried> {
  const job = await assignments.job(id)
  const at = clock.now()
  if (job === null) return { kind: 'absent' }
  if (job.state !== 'queued' || job.notBefore <= at) return { kind: 'not-held-back', state: job.state }
  const happening = { kind: 'job-retried', at, job: { id, generation: job.generation } } as const
  const attempt = {
    at,
    act: 'return-job',
    subject: jobSubject(job),
    command: 'jobs retry',
    gates: generationProof(happening),
    evidence: null,
    epoch: null,
    scaleSet: null,
    places: 1,
    ...by,
  } as const
  const work = async (log: ChangeLog): Promise<Retried> => {
    await log.advance('applying')
    const recorded = await record(assignments, happening)
    await log.end(ENDINGS[recorded.kind])
    const after = recorded.kind === 'changed' ? recorded.changes.jobs[0]?.after : undefined
    return after === undefined ? { kind: 'busy' } : { kind: 'retried', job: after, ledger: log.row.id }
  }
  const warrant = { ...by, epoch: null, cap: { run: 1, set: null }, abandonedAfterMs: ABANDONED_AFTER_MS }
  const result = await attemptChange<Retried>(
    { attempt, work, conclude: async (left) => await concludeJob(left, assignments) },
    { ledger, clock, signal: uninterrupted() },
    warrant,
  )
  return result.kind === 'taken' || result.kind === 'fenced' ? { kind: 'busy' } : result
}

const ENDINGS: Readonly<Record<'changed' | 'unchanged' | 'contended', Ending>> = {
  changed: { outcome: 'done', decidedBy: null, why: 'back in the queue, due at once, its count begins anew' },
  unchanged: { outcome: 'vanished', decidedBy: null, why: 'it changed meanwhile: nothing was done' },
  contended: { outcome: 'failed', decidedBy: null, why: 'others kept changing it: nothing was done' },
}
