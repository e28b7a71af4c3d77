import type { Happening } from '#/core/dispatch/assignment.ts'
import { pickJobFacts } from '#/core/dispatch/job.ts'
import type { JobState } from '#/core/dispatch/job.ts'
import type { Runner } from '#/core/dispatch/runner.ts'
import { intendedJob, isLive, slotRunner } from '#/core/dispatch/slot.ts'
import type { Slot, SlotState } from '#/core/dispatch/slot.ts'
import type { Assignments } from '#/ports/store/assignments.ts'

/** The rarest states of a slot when its pod ends. */
const ENDING: readonly (readonly SlotState[])[] = [['claimed'], ['minted'], ['registered'], ['executing']]
/** Mostly the pod still exists, and the start of a completed job was recorded. */
const STARTING: readonly (readonly SlotState[])[] = [
  ['minted'],
  ['registered'],
  ['minted', 'registered'],
  ['ended', 'lost'],
]
const COMPLETING: readonly (readonly SlotState[])[] = [['executing'], ['registered'], ['minted'], ['ended', 'lost']]

/**
 * Aims a random happening at what the store holds, or few would have an effect: a runner registers that was
 * minted, a job is started by a runner that waits. `pick` chooses among the candidates.
 */
export async function aim(assignments: Assignments, happening: Happening, pick: number): Promise<Happening> {
  switch (happening.kind) {
    case 'slot-minted':
      return { ...happening, slot: (await pickSlot(assignments, ['claimed'], pick)) ?? happening.slot }
    case 'slot-registered':
      return { ...happening, runner: runnerIn(await pickSlot(assignments, ['minted'], pick)) ?? happening.runner }
    case 'job-started':
      return await towardsRunner(assignments, happening, pickOne(STARTING, pick), pick)
    case 'job-completed':
      return await towardsRunner(assignments, happening, pickOne(COMPLETING, pick), pick)
    case 'slot-ended':
    case 'slot-lost': {
      const { uid } = (await pickSlot(assignments, pickOne(ENDING, pick), pick)) ?? happening
      return { ...happening, uid }
    }
    default:
      return await towardsJob(assignments, happening, pick)
  }
}

async function towardsJob(assignments: Assignments, happening: Happening, pick: number): Promise<Happening> {
  if (happening.kind === 'job-returned') return await towardsHolder(assignments, happening, pick)
  const isAboutQueued = happening.kind === 'job-retried' || happening.kind === 'job-moved'
  return isAboutQueued ? await towardsQueued(assignments, happening) : happening
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

/** A job that waits for its back-off, or one of another scope. */
async function towardsQueued(
  assignments: Assignments,
  happening: Extract<Happening, { kind: 'job-retried' | 'job-moved' }>,
): Promise<Happening> {
  const jobs = await assignments.jobs({ states: ['queued'], limit: 100 })
  const job = jobs.find((one) =>
    happening.kind === 'job-moved'
      ? one.scope !== happening.scope
      : one.state === 'queued' && one.notBefore > happening.at,
  )
  return job === undefined ? happening : { ...happening, job }
}

/** The intended or executing job of the slot, the intended job of another slot, or any unfinished one. */
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

/** A slot that is gone only accepts what it executed. */
function canStillHear(slot: Slot): boolean {
  return isLive(slot) || ('executed' in slot && slot.executed === null && slot.runner !== null)
}

function pickOne(choices: readonly (readonly SlotState[])[], pick: number): readonly SlotState[] {
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
