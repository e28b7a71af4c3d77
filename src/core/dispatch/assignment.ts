import { isUnderWay, nextJob } from './job.ts'
import type { Job, JobEvent, JobFacts, ReturnReason } from './job.ts'
import type { Runner } from './runner.ts'
import { nextSlot } from './slot.ts'
import type { Slot, SlotEvent, SlotFacts } from './slot.ts'

/**
 * What happened, applied once. Job and slot are separate; this file is the only place that defines how an event moves
 * both. The store loads what is involved, `decideAssignment` returns the changes, the store writes them by compare-and-set.
 */
export type Happening =
  | { readonly kind: 'job-queued'; readonly at: number; readonly facts: JobFacts }
  | { readonly kind: 'job-started'; readonly at: number; readonly facts: JobFacts; readonly runner: Runner }
  | {
      readonly kind: 'job-completed'
      readonly at: number
      readonly facts: JobFacts
      readonly runner: Runner | null
      readonly conclusion: string
    }
  | { readonly kind: 'slot-appeared'; readonly at: number; readonly facts: SlotFacts }
  | { readonly kind: 'slot-minted'; readonly at: number; readonly slot: SlotHandle; readonly runner: Runner }
  | { readonly kind: 'slot-registered'; readonly at: number; readonly runner: Runner }
  | { readonly kind: 'slot-ended'; readonly at: number; readonly uid: string }
  | { readonly kind: 'slot-lost'; readonly at: number; readonly uid: string }
  | {
      readonly kind: 'job-returned'
      readonly at: number
      readonly job: JobHandle
      readonly slot: string
      readonly reason: ReturnReason
    }
  | { readonly kind: 'job-retried'; readonly at: number; readonly job: JobHandle }
  | { readonly kind: 'job-moved'; readonly at: number; readonly job: JobHandle; readonly scope: string }

/** A handle names a row and the generation on which a decision was based. */
export type SlotHandle = { readonly uid: string; readonly generation: number }
export type JobHandle = { readonly id: number; readonly generation: number }

/** How the store finds the jobs and slots involved. */
export type Involvement = { readonly job: number | null; readonly slot: string | null; readonly runner: Runner | null }

export function toInvolvement(happening: Happening): Involvement {
  switch (happening.kind) {
    case 'job-queued':
      return { job: happening.facts.id, slot: null, runner: null }
    case 'job-started':
    case 'job-completed':
      return { job: happening.facts.id, slot: null, runner: happening.runner }
    case 'slot-appeared':
      return { job: null, slot: happening.facts.uid, runner: null }
    case 'slot-minted':
      return { job: null, slot: happening.slot.uid, runner: null }
    case 'slot-registered':
      return { job: null, slot: null, runner: happening.runner }
    case 'slot-ended':
    case 'slot-lost':
      return { job: null, slot: happening.uid, runner: null }
    case 'job-returned':
      return { job: happening.job.id, slot: happening.slot, runner: null }
    case 'job-retried':
    case 'job-moved':
      return { job: happening.job.id, slot: null, runner: null }
  }
}

/** The jobs and slots of an event. At most two of each can change on one event. */
export type Involved = {
  /** The job that the event names. */
  readonly job: Job | null
  /** The slot that the event names: by UID, else by its runner (see isSameRunner), even after its pod is gone. */
  readonly slot: Slot | null
  /** The live slot intended for `job`, if it is not `slot`. */
  readonly meantForJob: Slot | null
  /** The intended job of `slot`, if it is not `job`. */
  readonly meantForSlot: Job | null
}

export type JobChange = { readonly before: Job | null; readonly after: Job; readonly event: JobEvent }
export type SlotChange = { readonly before: Slot | null; readonly after: Slot; readonly event: SlotEvent }
export type Changes = { readonly jobs: readonly JobChange[]; readonly slots: readonly SlotChange[] }

export const NO_CHANGES: Changes = { jobs: [], slots: [] }

export function decideAssignment(happening: Happening, involved: Involved): Changes {
  const { at } = happening
  switch (happening.kind) {
    case 'job-queued':
      return changes([jobChange(involved.job, { kind: 'announced', at, facts: happening.facts })], [])
    case 'job-started':
      return started(happening, involved)
    case 'job-completed':
      return completed(happening, involved)
    case 'slot-appeared':
      return changes([], [slotChange(involved.slot, { kind: 'appeared', at, facts: happening.facts })])
    case 'slot-minted':
      return minted(happening, involved)
    case 'slot-registered':
      return changes([], [slotChange(involved.slot, { kind: 'registered', at, runner: happening.runner })])
    case 'slot-ended':
      return changes([], [slotChange(involved.slot, { kind: 'pod-ended', at })])
    case 'slot-lost':
      return changes([], [slotChange(involved.slot, { kind: 'pod-lost', at })])
    case 'job-returned':
      return returned(happening, involved)
    case 'job-retried':
      return onHandle(happening.job, involved, { kind: 'retried', at })
    case 'job-moved':
      return onHandle(happening.job, involved, { kind: 'moved', at, scope: happening.scope })
  }
}

function minted(happening: Extract<Happening, { kind: 'slot-minted' }>, involved: Involved): Changes {
  const { slot, meantForSlot } = involved
  if (slot === null || slot.generation !== happening.slot.generation) return NO_CHANGES
  const slotMoves = slotChange(slot, { kind: 'minted', at: happening.at, runner: happening.runner })
  if (slotMoves === null) return NO_CHANGES
  return changes([jobChange(meantForSlot, { kind: 'minted', at: happening.at, slot: slot.uid })], [slotMoves])
}

function started(happening: Extract<Happening, { kind: 'job-started' }>, involved: Involved): Changes {
  const { at, facts, runner } = happening
  const { job, slot, meantForJob, meantForSlot } = involved
  const jobMoves = jobChange(job, { kind: 'started', at, facts, runner })
  if (jobMoves === null) return NO_CHANGES
  const slotMoves = slotChange(slot, { kind: 'started', at, job: facts.id, runner })
  const displaced = slotMoves === null ? null : waitingFor(slot, meantForSlot)
  if (displaced === null || slot === null) return changes([jobMoves], [slotMoves, withdraw(meantForJob, facts.id, at)])
  return exchange({ jobMoves, slotMoves, displaced, from: slot, other: meantForJob, at })
}

/** A slot that is gone keeps its intended job, although that job may have another slot by now. */
function waitingFor(slot: Slot | null, job: Job | null): Job | null {
  return job !== null && 'slot' in job && job.slot === slot?.uid ? job : null
}

/** GitHub gave this runner another job than its intended one: the two slots swap their intended jobs. */
function exchange(swap: {
  readonly jobMoves: JobChange
  readonly slotMoves: SlotChange | null
  readonly displaced: Job
  readonly from: Slot
  readonly other: Slot | null
  readonly at: number
}): Changes {
  const { jobMoves, slotMoves, displaced, from, other, at } = swap
  // A slot of another scope may lack what the displaced job needs.
  if (other === null || other.scope !== displaced.scope) {
    const goesBack = jobChange(displaced, { kind: 'returned', at, slot: from.uid, reason: 'displaced' })
    return changes([jobMoves, goesBack], [slotMoves, withdraw(other, jobMoves.after.id, at)])
  }
  const minted = other.state !== 'claimed'
  const moves = jobChange(displaced, { kind: 'retargeted', at, slot: other.uid, minted })
  const takes = slotChange(other, { kind: 'retargeted', at, job: displaced.id })
  return changes([jobMoves, moves], [slotMoves, takes])
}

function completed(happening: Extract<Happening, { kind: 'job-completed' }>, involved: Involved): Changes {
  const { at, facts, runner, conclusion } = happening
  const { job, slot, meantForJob, meantForSlot } = involved
  const jobMoves = jobChange(job, { kind: 'completed', at, facts, runner, conclusion })
  if (jobMoves === null) return NO_CHANGES
  // Released by the runner that executed it, never by the job's id: a slot that was only intended for it stays.
  const slotMoves = runner === null ? null : slotChange(slot, { kind: 'completed', at, job: facts.id, runner })
  const displaced = slotMoves === null ? null : waitingFor(slot, meantForSlot)
  if (displaced === null || slot === null) return changes([jobMoves], [slotMoves, withdraw(meantForJob, facts.id, at)])
  return exchange({ jobMoves, slotMoves, displaced, from: slot, other: meantForJob, at })
}

function returned(happening: Extract<Happening, { kind: 'job-returned' }>, involved: Involved): Changes {
  const { at, slot, reason } = happening
  const { job } = involved
  if (job === null || job.generation !== happening.job.generation) return NO_CHANGES
  // Registering changes the slot and not the job, so the job's handle does not show it.
  if (reason === 'never-registered' && involved.slot?.state === 'registered') return NO_CHANGES
  const jobMoves = jobChange(job, { kind: 'returned', at, slot, reason })
  if (jobMoves === null) return NO_CHANGES
  return changes([jobMoves], [withdraw(involved.slot, job.id, at)])
}

/** A change of the job since the decision makes it void. */
function onHandle(handle: JobHandle, { job }: Involved, event: JobEvent): Changes {
  return job === null || job.generation !== handle.generation ? NO_CHANGES : changes([jobChange(job, event)], [])
}

/** The pair that the matcher chose, as changes. The caller has read both under the lock of their scope. */
export function decideClaim(job: Job, slot: Slot, at: number): Changes {
  const jobMoves = jobChange(job, { kind: 'claimed', at, slot: slot.uid })
  const slotMoves = slotChange(slot, { kind: 'claimed', at, job: job.id })
  return jobMoves === null || slotMoves === null ? NO_CHANGES : changes([jobMoves], [slotMoves])
}

function withdraw(slot: Slot | null, job: number, at: number): SlotChange | null {
  return slot === null ? null : slotChange(slot, { kind: 'withdrawn', at, job })
}

/** The scopes in which a waiting slot may now get a job: a job was queued, or one stopped counting against a cap. */
export function scopesToWake({ jobs }: Changes): readonly string[] {
  const woken = jobs.filter(
    ({ before, after }) => after.state === 'queued' || (isUnderWay(before) && !isUnderWay(after)),
  )
  return [...new Set(woken.map(({ after }) => after.scope))]
}

function jobChange(before: Job | null, event: JobEvent): JobChange | null {
  const after = nextJob(before, event)
  return after === null ? null : { before, after, event }
}

function slotChange(before: Slot | null, event: SlotEvent): SlotChange | null {
  const after = nextSlot(before, event)
  return after === null ? null : { before, after, event }
}

function changes(jobs: readonly (JobChange | null)[], slots: readonly (SlotChange | null)[]): Changes {
  return { jobs: jobs.filter((change) => change !== null), slots: slots.filter((change) => change !== null) }
}
