import { formatDuration } from '#/core/basics/duration.ts'
import type { Log } from '#/ports/log.ts'

/** Clocks of machines differ a little. An event that is dated later than this is taken for one of now. */
export const ALLOWED_AHEAD_MS = 10_000

/** How far ahead of our clock the events were dated that were taken for ones of now; null where none was. */
export type Ahead = { readonly aheadMs: () => number | null }

/** The time of an event as it is believed. Otherwise one of the year 9999 would end the coverage of everything before it. */
export function believeTimes(now: () => number): Ahead & { readonly believed: (at: number) => number } {
  let ahead: number | null = null
  return {
    believed: (at) => {
      const received = now()
      if (at - received <= ALLOWED_AHEAD_MS) return at
      ahead = Math.max(ahead ?? 0, at - received)
      return received
    },
    aheadMs: () => ahead,
  }
}

/** Logs once that events are dated in the future: whoever sends them would repeat it every second. */
export function warnOfFutureEvents(log: Pick<Log, 'warn'>, from: string): (events: Ahead) => void {
  let isLogged = false
  return ({ aheadMs }) => {
    const ahead = aheadMs()
    if (ahead === null || isLogged) return
    isLogged = true
    log.warn('audit events are dated in the future, taken for events of now: compare the clocks', {
      from,
      ahead: formatDuration(ahead),
    })
  }
}
