import { isWithin } from '#/core/basics/within.ts'
import type { Clock } from '#/ports/clock.ts'

/** A read that many ask for within a moment, such as the deaths of one node: one read serves them all. */
export type SharedReads<T> = {
  readonly read: (key: string) => Promise<T>
}

type Round<T> = { readonly begunAt: number; readonly answer: Promise<T> }

/** An answer that was asked for less than `freshMs` ago is given again. */
export function createSharedReads<T>(
  readOnce: (key: string) => Promise<T>,
  { clock, freshMs }: { readonly clock: Pick<Clock, 'now'>; readonly freshMs: number },
): SharedReads<T> {
  const latest = new Map<string, Round<T>>()
  const forgetOld = (now: number): void => {
    for (const [key, { begunAt }] of latest) {
      if (isWithin(freshMs, begunAt, now)) break
      latest.delete(key)
    }
  }
  return {
    read: (key) => {
      const now = clock.now()
      const known = latest.get(key)
      if (known !== undefined && isWithin(freshMs, known.begunAt, now)) return known.answer
      forgetOld(now)
      const answer = readOnce(key)
      latest.delete(key)
      latest.set(key, { begunAt: now, answer })
      return answer
    },
  }
}
