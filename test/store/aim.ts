import type { Happening } from '#/core/dispatch/assignment.ts'
import { pickJobFacts } from '#/core/dispatch/job.ts'
import type { JobState } from '#/core/dispatch/job.ts'
import type { Runner } from '#/core/dispatch/runner.ts'
import { intendedJob, isLive, slotRunner } from '#/core/dispatch/slot.ts'
import type { Slot, SlotState } from '#/core/dispatch/slot.ts'
import type { Assignments } from '#/ports/store/assignments.ts'

/** The states in which a slot is least often when its pod goes. */
const ENDING: readonly (readonly SlotState[])[] = [['claimed'], ['minted'], ['registered'], ['executing']]
/** Mostly the pod is still there, and the start of what completes was told. */
const STARTING: readonly (readonly SlotState[])[] = [
  ['minted'],
  ['registered'],
  ['minted', 'registered'],
  ['ended', 'lost'],
]
const COMPLETING: readonly (readonly SlotState[])[] = [['executing'], ['registered'], ['minted'], ['ended', 'lost']]

/**
 * Turns a happening drawn blindly towards what the store holds, or few would have an effect: a runner registers that was
 * minted, a job is started by a runner that waits. `pick` says which of those that fit.
 */
export async function aim(assignments: Assignments, happening: Happening, pick: number): Promise<Happening> {
  switch (happening.kind) {
    case 'slot-minted':
      return { ...happening, slot: (await pickSlot(assignments, ['claimed'], pick)) ?? happening.slot }
    case 'slot-registered':
      return { ...happening, runner: runnerIn(await pickSlot(assignments, ['minted'], pick)) ?? happening.runner }
    case 'job-started':
      return await towardsRunner(assignments, happening, oneOf(STARTING, pick), pick)
    case 'job-completed':
      return await towardsRunner(assignments, happening, oneOf(COMPLETING, pick), pick)
    case 'slot-ended':
    case 'slot-lost': {
      const { uid } = (await pickSlot(assignments, oneOf(ENDING, pick), pick)) ?? happening
      return { ...happening, uid }
    }
    case 'job-returned':
      return await towardsHolder(assignments, happening, pick)
    default:
      return happening
  }
}

async function towardsHolder(
  assignments: Assignments,
  happening: Extract<Happening, { kind: 'job-returned' }>,
  pick: number,
): Promise<Happening> {
  const jobs = await assignments.jobs({ states: ['claimed', 'minted'], limit: 100 })
  const job = jobs[pick % Math.max(1, jobs.length)]
  return job === undefined || !('slot' in job) ? happening : { ...happening, job, slot: job.slot }
}

/** The job that the slot is meant for or executes, one that another slot is meant for, or any that is not over. */
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
  const fitting = open.filter(({ id, state }) => [id === own, isHeld(state) && id !== own, true][pick % 3])
  const job = fitting[(pick >> 2) % Math.max(1, fitting.length)]
  return {
    ...happening,
    runner: runnerIn(slot) ?? happening.runner,
    facts: job === undefined ? happening.facts : pickJobFacts(job),
  }
}

/** A slot that is gone learns only what it executed. */
function canStillHear(slot: Slot): boolean {
  return isLive(slot) || ('executed' in slot && slot.executed === null && slot.runner !== null)
}

function oneOf(choices: readonly (readonly SlotState[])[], pick: number): readonly SlotState[] {
  return choices[pick % choices.length] ?? []
}

function runnerIn(slot: Slot | null): Runner | null {
  return slot && slotRunner(slot)
}

function isHeld(state: JobState): boolean {
  return state === 'claimed' || state === 'minted'
}

async function pickSlot(assignments: Assignments, states: readonly SlotState[], pick: number): Promise<Slot | null> {
  const slots = (await assignments.slots({ states, limit: 100 })).filter(canStillHear)
  return slots[pick % Math.max(1, slots.length)] ?? null
}
