import type { Happening } from '#/core/assignment.ts'
import { factsOfJob } from '#/core/job.ts'
import { intendedJob, runnerOf } from '#/core/slot.ts'
import type { Slot, SlotState } from '#/core/slot.ts'
import type { Assignments } from '#/ports/store.ts'

/**
 * Turns a happening drawn blindly towards what the store holds, or few would have an effect: a runner registers that was
 * minted, a job is started by a runner that waits. `pick` says which of those that fit.
 */
export async function aim(assignments: Assignments, happening: Happening, pick: number): Promise<Happening> {
  switch (happening.kind) {
    case 'slot-minted': {
      const slot = await pickSlot(assignments, ['claimed'], pick)
      return slot === null ? happening : { ...happening, slot: { uid: slot.uid, generation: slot.generation } }
    }
    case 'slot-registered': {
      const slot = await pickSlot(assignments, ['minted'], pick)
      return { ...happening, runner: (slot && runnerOf(slot)) ?? happening.runner }
    }
    case 'job-started':
      return await towardsRunner(assignments, happening, ['minted', 'registered'], pick)
    case 'job-completed':
      return await towardsRunner(assignments, happening, ['executing', 'registered'], pick)
    case 'job-returned': {
      const jobs = await assignments.jobs({ states: ['claimed', 'minted'], limit: 100 })
      const job = jobs[pick % Math.max(1, jobs.length)]
      return job === undefined || !('slot' in job) ? happening : { ...happening, job, slot: job.slot }
    }
    default:
      return happening
  }
}

/** The job that the slot is meant for or executes, or any other that is not over. */
async function towardsRunner<T extends Extract<Happening, { kind: 'job-started' | 'job-completed' }>>(
  assignments: Assignments,
  happening: T,
  states: readonly SlotState[],
  pick: number,
): Promise<T> {
  const slot = await pickSlot(assignments, states, pick)
  if (slot === null) return happening
  const own = slot.state === 'executing' ? slot.executing : intendedJob(slot)
  const open = await assignments.jobs({ states: ['queued', 'claimed', 'minted', 'executing'], limit: 100 })
  const job = pick % 3 === 0 ? open.find(({ id }) => id === own) : open[pick % Math.max(1, open.length)]
  return {
    ...happening,
    runner: runnerOf(slot) ?? happening.runner,
    facts: job === undefined ? happening.facts : factsOfJob(job),
  }
}

async function pickSlot(assignments: Assignments, states: readonly SlotState[], pick: number): Promise<Slot | null> {
  const slots = await assignments.slots({ states, limit: 100 })
  return slots[pick % Math.max(1, slots.length)] ?? null
}
