import type { ReturnReason } from '#/core/dispatch/job.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { record } from './record.ts'

export type ReturnMeans = {
  readonly assignments: Pick<Assignments, 'involved' | 'commit' | 'job' | 'slot'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
}

/** Another slot may swap its intended job with this one meanwhile; it does not do so again and again. */
const MAX_TRIES = 3

/** The job that the slot holds now goes back to the queue. Where that fails, the loop `stale-claims` returns it. */
export async function returnJob(means: ReturnMeans, uid: string, reason: ReturnReason): Promise<void> {
  try {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) if (await tryToReturn(means, uid, reason)) return
    means.log.warn('a claim could not be returned: others kept changing it', { slot: uid, reason })
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    means.log.warn('a claim could not be returned', { slot: uid, reason, why: error.message })
  }
}

/** True where nothing is left to return. */
async function tryToReturn({ assignments, clock }: ReturnMeans, uid: string, reason: ReturnReason): Promise<boolean> {
  const slot = await assignments.slot(uid)
  if (slot?.state !== 'claimed') return true
  const job = await assignments.job(slot.intended)
  if (job === null) return true
  const handle = { id: job.id, generation: job.generation }
  const happening = { kind: 'job-returned', at: clock.now(), job: handle, slot: uid, reason } as const
  return (await record(assignments, happening)).kind === 'changed'
}
