import { blind } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'
import { createWorkQueue } from '#/runtime/queue/work-queue.ts'
import type { Question } from '#/protocol/poll.ts'
import type { Answer } from './journal-window.ts'

/** Answers questions in two lanes, so that counters and logs never wait behind a journal. */
export type Lanes = {
  readonly take: (question: Question, signal: AbortSignal) => void
  readonly idle: () => Promise<unknown>
}

export type LaneMeans = {
  readonly clock: Clock
  readonly answer: (question: Question, signal: AbortSignal) => Promise<Answer>
  readonly send: (question: Question, answer: Answer, signal: AbortSignal) => Promise<void>
  readonly fault: (error: unknown) => void
  /** Nothing has been asked for a while. */
  readonly rested: () => void
}

const JOURNALS = { mostAtOnce: 1, mostWaiting: 16 }
const OTHERS = { mostAtOnce: 4, mostWaiting: 500 }
/** What is left of the time is for sending it. */
const READING_SHARE = 0.8
const REST_MS = 5000

export function createLanes({ clock, answer, send, fault, rested }: LaneMeans): Lanes {
  const journals = createWorkQueue(JOURNALS, fault)
  const others = createWorkQueue(OTHERS, fault)
  let taken = 0
  const rest = async (signal: AbortSignal): Promise<void> => {
    const before = taken
    await Promise.all([journals.idle(), others.idle()])
    await clock.sleep(REST_MS, signal)
    if (taken === before && !signal.aborted) rested()
  }
  return {
    take: (question, signal) => {
      taken += 1
      const takenAt = clock.now()
      const ms = Math.max(1, Math.floor(question.withinMs * READING_SHARE))
      const limited = AbortSignal.any([signal, AbortSignal.timeout(ms)])
      const work = async (): Promise<void> => {
        const answered = limited.aborted ? waited(clock.now() - takenAt) : await answer(question, limited)
        await send(question, answered, signal)
      }
      const lane = question.asked.kind === 'journal' ? journals : others
      if (lane.push(work) === 'full') send(question, full(lane.size()), signal).catch(fault)
      void rest(signal)
    },
    idle: () => Promise.all([journals.idle(), others.idle()]),
  }
}

function waited(ms: number): Answer {
  return { head: blind('timeout', `the question waited for ${ms} ms behind others in the agent`) }
}

function full(waiting: number): Answer {
  return { head: blind('refused-by-limits', `${waiting} questions wait in the agent already`) }
}
