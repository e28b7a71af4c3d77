import { blind } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Clock } from '#/ports/clock.ts'

/** For questions that one dead machine must not hold up: each has its time, and so have all of them together. */
export type TimeLimit = {
  /** Blind with `timeout` where the answer does not come in time; not asked at all when the time of all is over. */
  readonly ask: <T>(what: string, question: (signal: AbortSignal) => Promise<Observed<T>>) => Promise<Observed<T>>
}

export type LimitedTime = {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Milliseconds for one question, and for all of them. */
  readonly eachMs: number
  readonly allMs: number
  /** For one question when many were not answered: where half a fleet is dead, the other half must be asked too. */
  readonly hurriedMs?: number
}

const MANY = 8

export function createTimeLimit({ clock, signal, eachMs, allMs, hurriedMs = eachMs }: LimitedTime): TimeLimit {
  const end = clock.now() + allMs
  let unanswered = 0
  return {
    ask: async (what, question) => {
      const ms = Math.min(unanswered < MANY ? eachMs : hurriedMs, end - clock.now())
      if (ms <= 0) return blind('timeout', `${what}: not asked, because those before it took ${seconds(allMs)}`)
      const over = new AbortController()
      const answered = new AbortController()
      void clock.sleep(ms, answered.signal).then(() => over.abort())
      try {
        const answer = await question(AbortSignal.any([signal, over.signal]))
        const isLate = answer.kind === 'blind' && answer.reason.code === 'stopped' && !signal.aborted
        if (!isLate) return answer
        unanswered += 1
        return blind('timeout', `${what}: no answer within ${seconds(ms)}`)
      } finally {
        answered.abort()
      }
    },
  }
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`
}
