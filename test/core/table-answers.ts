import type { Changes } from '#/core/dispatch/assignment.ts'
import { JOB_TABLE } from '#/core/dispatch/job.ts'
import { SLOT_TABLE } from '#/core/dispatch/slot.ts'

/** Every state and event to which the tables of job and slot answer with a change. */
export const CHANGING_ANSWERS: readonly string[] = [
  ...listAnswers('job', JOB_TABLE),
  ...listAnswers('slot', SLOT_TABLE),
]

function listAnswers(thing: string, table: Readonly<Record<string, Readonly<Record<string, unknown>>>>): string[] {
  return Object.entries(table).flatMap(([state, row]) =>
    Object.entries(row).flatMap(([kind, answer]) => (answer === 'ignore' ? [] : [`${thing} ${state} ${kind}`])),
  )
}

/** Counts each answer: histories that never reach one prove nothing about it. */
export class AnswerCount {
  readonly #counts = new Map(CHANGING_ANSWERS.map((answer) => [answer, 0]))

  add({ jobs, slots }: Changes): void {
    for (const { before, event } of jobs) this.#count(`job ${before?.state ?? 'absent'} ${event.kind}`)
    for (const { before, event } of slots) this.#count(`slot ${before?.state ?? 'absent'} ${event.kind}`)
  }

  /** The answers that were never given. */
  missing(): readonly string[] {
    return [...this.#counts].flatMap(([answer, count]) => (count === 0 ? [answer] : []))
  }

  #count(answer: string): void {
    const count = this.#counts.get(answer)
    if (count === undefined) throw new Error(`a change that is in no table: ${answer}`)
    this.#counts.set(answer, count + 1)
  }
}
