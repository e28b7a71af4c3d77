import { decideClaim } from './assignment.ts'
import type { Changes, JobChange, SlotChange, SlotHandle } from './assignment.ts'
import type { Candidates, Pair } from './fairness.ts'
import type { Job } from './job.ts'
import type { Slot } from './slot.ts'

/** A job and the slot that was given to it, as they are after the claim. */
export type Claim = { readonly job: Job; readonly slot: Slot; readonly handle: SlotHandle }

/** The pairs as changes. A pair that repeats a job or slot, names no candidate, or that a table refuses is left out. */
export function decideClaims(candidates: Candidates, pairs: readonly Pair[], at: number): Changes {
  const freeJobs = new Map(candidates.jobs.map((job) => [job.id, job]))
  const freeSlots = new Map(candidates.slots.map((slot) => [slot.uid, slot]))
  const jobs: JobChange[] = []
  const slots: SlotChange[] = []
  for (const pair of pairs) {
    const job = freeJobs.get(pair.job)
    const slot = freeSlots.get(pair.slot)
    if (job === undefined || slot === undefined) continue
    const claim = decideClaim(job, slot, at)
    if (claim.jobs.length === 0) continue
    jobs.push(...claim.jobs)
    slots.push(...claim.slots)
    freeJobs.delete(pair.job)
    freeSlots.delete(pair.slot)
  }
  return { jobs, slots }
}

/** The changes of `decideClaims`, for the waiting slots. */
export function toClaims({ jobs, slots }: Changes): readonly Claim[] {
  const jobsById = new Map(jobs.map(({ after }) => [after.id, after]))
  return slots.flatMap(({ after: slot }) => {
    const job = slot.state === 'claimed' ? jobsById.get(slot.intended) : undefined
    return job === undefined ? [] : [{ job, slot, handle: { uid: slot.uid, generation: slot.generation } }]
  })
}
